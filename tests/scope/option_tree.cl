#define DEEP 128

/* A binomial tree for each work-group, back from its leaves in local memory, in double. */
__kernel void option_tree(__global const double *price, __global double *value, double up,
                          double chance, double strike)
{
    __local double level[DEEP + 1];
    int l = get_local_id(0);
    double leaf = price[get_group_id(0)] * pow(up, (double)(2 * l - DEEP));

    level[l] = fmax(leaf - strike, 0.0);
    if (l == DEEP - 1)
        level[DEEP] = fmax(leaf * up * up - strike, 0.0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = DEEP; left > 0; left--) {
        double next = 0.0;

        if (l < left)
            next = 0.999 * (chance * level[l + 1] + (1.0 - chance) * level[l]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < left)
            level[l] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        value[get_group_id(0)] = level[0];
}
