#define RADIX 16
#define ITEMS 128

/* The same without atomics: each work-item counts in a column of its own; then rows are added. */
__kernel void digits_columns(__global const uint *key, __global int *count, int each, int shift)
{
    __local int mine[RADIX * ITEMS];
    int l = get_local_id(0);
    int g = get_group_id(0);

    for (int d = 0; d < RADIX; d++)
        mine[d * ITEMS + l] = 0;
    for (int e = 0; e < each; e++) {
        uint digit = (key[(g * each + e) * ITEMS + l] >> shift) & (RADIX - 1);

        mine[digit * ITEMS + l]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < RADIX) {
        int sum = 0;

        for (int k = 0; k < ITEMS; k++)
            sum += mine[l * ITEMS + ((k + l) & (ITEMS - 1))];
        count[l * (int)get_num_groups(0) + g] = sum;
    }
}
