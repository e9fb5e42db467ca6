/* Exclusive scan of blocks of 2 LSIZE numbers, Blelloch: sums up a tree, then down. */
#ifndef LSIZE
#define LSIZE 32
#endif
#define BLOCK (2 * LSIZE)
#define PAD(i) ((i) + ((i) >> 5)) /* past bank conflicts */

__kernel void scan_blelloch(__global const int *in, __global int *out,
                            __global int *totals, __local int *tree)
{
    const int l = get_local_id(0);
    const int base = get_group_id(0) * BLOCK;
    int reach = 1;

    tree[PAD(l)] = in[base + l];
    tree[PAD(l + LSIZE)] = in[base + l + LSIZE];

    for (int active = LSIZE; active > 0; active >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < active) {
            int right = reach * (2 * l + 2) - 1;
            tree[PAD(right)] += tree[PAD(right - reach)];
        }
        reach *= 2;
    }

    if (l == 0) {
        totals[get_group_id(0)] = tree[PAD(BLOCK - 1)];
        tree[PAD(BLOCK - 1)] = 0;
    }

    for (int active = 1; active < BLOCK; active *= 2) {
        reach >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < active) {
            int right = reach * (2 * l + 2) - 1;
            int sum = tree[PAD(right - reach)];
            tree[PAD(right - reach)] = tree[PAD(right)];
            tree[PAD(right)] += sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + l] = tree[PAD(l)];
    out[base + l + LSIZE] = tree[PAD(l + LSIZE)];
}
