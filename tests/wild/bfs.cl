/* A level of breadth-first search: every node of the front reaches its neighbours.  How
 * many a node has is data: their average over the front is the parameter 'degree'.
 */
typedef struct {
    int first;
    int count;
} node;

__kernel void bfs_level(__global const node *nodes, __global const int *edges,
                        __global const int *front, __global int *level, int n, int depth)
{
    const int id = get_global_id(0);

    if (id < n && front[id]) {
        const int last = nodes[id].first + nodes[id].count;
#pragma gpucal trips degree
        for (int e = nodes[id].first; e < last; e++)
            level[edges[e]] = depth + 1;
    }
}
