__kernel void front_pull(__global const int *near, __global const int *level,
                         __global int *next, int n, int now)
{
    int v = get_global_id(0);

    if (v >= n)
        return;
    int mine = level[v];

    if (mine > now)
        for (int k = 0; k < 8; k++)
            if (level[near[k * n + v]] == now)
                mine = now + 1;
    next[v] = mine;
}
