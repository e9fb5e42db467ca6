/* r[i,j] = min over k of d[i,k] + d[k,j], the shortest way of two steps in a graph, as it
 * is first written: dimension 0 runs over the rows, so neighbours in a sub-group read and
 * write n apart (version V0 of Programming Parallel Computers, chapter 4).
 */
__kernel void min_plus_v0(__global T *r, __global const T *d, int n)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    T best = (T)HUGE_VALF;

    if (i >= n || j >= n)
        return;
    for (int k = 0; k < n; ++k)
        best = min(best, GPUCAL_TAG(rowV0, d[n * i + k]) +
                             GPUCAL_TAG(columnV0, d[n * k + j]));
    GPUCAL_TAG(rV0, r[n * i + j]) = best;
}
