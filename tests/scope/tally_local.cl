#define BINS 128

/* Bins of a work-group in local memory, by atomics; then added to those of all. */
__kernel void tally_local(__global const int *value, __global int *bin, int n)
{
    __local int mine[BINS];
    int l = get_local_id(0);

    if (l < BINS)
        mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[value[i] & (BINS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < BINS)
        atomic_add(&bin[l], mine[l]);
}
