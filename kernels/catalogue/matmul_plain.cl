/* c = a b for square matrices, row after row, whose width n is a multiple of TILE: every
 * work-item reads a row of a and a column of b from global memory.  Without GROUPS_FIT n is any
 * width, and work-items beyond it do nothing.
 */
#define True 1 /* the values of GROUPS_FIT; False counts as 0 */

__kernel void matmul_plain(__global const T *a, __global const T *b, __global T *c, int n)
{
    int column = TILE * get_group_id(0) + get_local_id(0);
    int row = TILE * get_group_id(1) + get_local_id(1);
    T acc = (T)0;

#if !GROUPS_FIT
    if (row >= n || column >= n)
        return;
#endif
    for (int k = 0; k < n; ++k)
        acc = acc + GPUCAL_TAG(aNoPF, a[n * row + k]) * GPUCAL_TAG(bNoPF, b[n * k + column]);
    GPUCAL_TAG(cNoPF, c[n * row + column]) = acc;
}
