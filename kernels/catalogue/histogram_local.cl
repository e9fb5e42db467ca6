/* As histogram.cl, in turn, but each work-group counts in local memory first and then adds
 * its counts to 'counts' (Saremi 2018, section 7).
 */
#define SPACING_local        1
#define SPACING_local_padded 32

#define JOIN(a, b)        a##b
#define OF(what, version) JOIN(what, version)

__kernel void histogram_local(__global const T *x, __global int *counts, int n)
{
    __local int own[BINS];
    int l = get_local_id(0);
    int first = ITEMS * LSIZE_0 * get_group_id(0) + l;

    for (int b = l; b < BINS; b += LSIZE_0)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < ITEMS; ++k)
        if (first + LSIZE_0 * k < n) {
            int bin = (int)((x[first + LSIZE_0 * k] - (T)0.5) * (2 * BINS));

            atomic_inc(&own[clamp(bin, 0, BINS - 1)]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < BINS; b += LSIZE_0)
        atomic_add(&counts[OF(SPACING_, VERSION) * b], own[b]);
}
