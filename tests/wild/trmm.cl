/* B = alpha A^T B, A unit lower triangular: one work-item a column, in order of rows. */
__kernel void trmm(int m, int n, float alpha, __global const float *A, __global float *B)
{
    int j = get_global_id(0);

    if (j >= n)
        return;
    for (int i = 0; i < m; i++) {
        for (int k = i + 1; k < m; k++)
            B[i * n + j] += A[k * m + i] * B[k * n + j];
        B[i * n + j] = alpha * B[i * n + j];
    }
}
