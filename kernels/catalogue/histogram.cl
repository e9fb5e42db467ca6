/* A histogram of n numbers from 0.5 to 1 in BINS bins of one width, added to 'counts'
 * (Saremi 2018, section 7).  A work-item takes ITEMS numbers: adjacent ones (naive), or
 * those of a work-group in turn (the other versions).  Padded bins are a cache
 * line apart, as atomics on one line wait for each other.
 */
#define STRIPED_naive   0
#define STRIPED_striped 1
#define STRIPED_padded  1

#define SPACING_naive   1
#define SPACING_striped 1
#define SPACING_padded  32

#define JOIN(a, b)        a##b
#define OF(what, version) JOIN(what, version)

__kernel void histogram(__global const T *x, __global int *counts, int n)
{
    int first = OF(STRIPED_, VERSION)
                    ? ITEMS * LSIZE_0 * get_group_id(0) + get_local_id(0)
                    : ITEMS * get_global_id(0);
    int step = OF(STRIPED_, VERSION) ? LSIZE_0 : 1;

    for (int k = 0; k < ITEMS; ++k)
        if (first + step * k < n) {
            int bin = (int)((x[first + step * k] - (T)0.5) * (2 * BINS));

            atomic_inc(&counts[OF(SPACING_, VERSION) * clamp(bin, 0, BINS - 1)]);
        }
}
