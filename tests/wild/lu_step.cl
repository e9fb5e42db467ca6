/* LU in place without pivoting, step k of n: the row scaled, then the rest updated. */
#define IDX(r, c) ((r) * n + (c))

__kernel void lu_scale(__global float *A, int k, int n)
{
    int j = get_global_id(0) + k + 1;

    if (j < n)
        A[IDX(k, j)] = A[IDX(k, j)] / A[IDX(k, k)];
}

__kernel void lu_update(__global float *A, int k, int n)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if ((i > k) && (j > k) && (i < n) && (j < n))
        A[IDX(i, j)] -= A[IDX(i, k)] * A[IDX(k, j)];
}
