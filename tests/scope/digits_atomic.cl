#define RADIX 16

/* Of a sort by digits: how many keys of each work-group have each digit, by atomics. */
__kernel void digits_atomic(__global const uint *key, __global int *count, int each, int shift)
{
    __local int mine[RADIX];
    int l = get_local_id(0);
    int g = get_group_id(0);

    if (l < RADIX)
        mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = 0; e < each; e++)
        atomic_inc(&mine[(key[(g * each + e) * 256 + l] >> shift) & (RADIX - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < RADIX)
        count[l * (int)get_num_groups(0) + g] = mine[l];
}
