/* Straight to global bins: as crowded as there are few bins. */
__kernel void tally_global(__global const int *value, __global int *bin, int n, int mask)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&bin[value[i] & mask]);
}
