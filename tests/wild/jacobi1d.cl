/* One sweep of the 1-D Jacobi stencil and the copy back, two kernels as in PolyBench. */
__kernel void jacobi1d_sweep(__global float *A, __global float *B, int n)
{
    int i = get_global_id(0);

    if ((i > 0) && (i < (n - 1)))
        B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
}

__kernel void jacobi1d_copy(__global float *A, __global float *B, int n)
{
    int j = get_global_id(0);

    if ((j > 0) && (j < (n - 1)))
        A[j] = B[j];
}
