/* All shortest paths, step k of n: over the node k, distances and the way. */
__kernel void floyd_warshall(__global uint *dist, __global uint *via, const uint n,
                             const uint k)
{
    const uint to = get_global_id(0);
    const uint from = get_global_id(1);
    const uint direct = dist[from * n + to];
    const uint around = dist[from * n + k] + dist[k * n + to];

    if (to == k || from == k)
        return;
    if (around < direct) {
        dist[from * n + to] = around;
        via[from * n + to] = k;
    }
}
