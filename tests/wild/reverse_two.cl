/* Rows reversed in place, from both ends; and a solve with a bidiagonal matrix, forward
 * and back.
 */
__kernel void reverse_rows(__global int *a, int n, int rows)
{
    int r = get_global_id(0);
    if (r >= rows)
        return;
    __global int *p = a + r * n;
    int i, j;

    for (i = 0, j = n - 1; i < j; i++, j--) {
        int t = p[i];
        p[i] = p[j];
        p[j] = t;
    }
}

__kernel void bidiagonal(__global const double *upper, __global double *x, const uint n,
                         const uint systems)
{
    const uint s = get_global_id(0);
    if (s >= systems)
        return;
    for (uint i = 1; i != n; ++i)
        x[i * systems + s] -= upper[i] * x[(i - 1) * systems + s];
    for (uint i = n - 1; i-- > 0;)
        x[i * systems + s] -= upper[i] * x[(i + 1) * systems + s];
}
