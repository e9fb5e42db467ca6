/* min_plus_v0.cl with the two dimensions exchanged: neighbours in a sub-group read and
 * write neighbours in memory (version V1 of Programming Parallel Computers, chapter 4).
 */
__kernel void min_plus_v1(__global T *r, __global const T *d, int n)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    T best = (T)HUGE_VALF;

    if (i >= n || j >= n)
        return;
    for (int k = 0; k < n; ++k)
        best = min(best, GPUCAL_TAG(rowV1, d[n * j + k]) +
                             GPUCAL_TAG(columnV1, d[n * k + i]));
    GPUCAL_TAG(rV1, r[n * j + i]) = best;
}
