/* c = a b for square matrices, row after row, as it is first written: dimension 0 runs over
 * the rows, so neighbours in a sub-group read a and write c with stride n, and share the
 * element of b (Wang 2013, the naive kernel).
 */
__kernel void matmul_naive(__global const T *a, __global const T *b, __global T *c, int n)
{
    int row = get_local_id(0) + get_group_id(0) * LSIZE_0;
    int column = get_local_id(1) + get_group_id(1) * LSIZE_1;
    T sum = (T)0;

    for (int i = 0; i < n; i++)
        sum += GPUCAL_TAG(aNaive, a[row * n + i]) * GPUCAL_TAG(bNaive, b[i * n + column]);
    GPUCAL_TAG(cNaive, c[row * n + column]) = sum;
}
