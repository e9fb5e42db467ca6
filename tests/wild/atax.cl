/* y = A^T (A x), two kernels: tmp = A x, then y = A^T tmp. */
#define number float

__kernel void atax_forward(__global number *A, __global number *x,
                           __global number *tmp, int nx, int ny)
{
    int i = get_global_id(0);

    if (i < nx)
    {
        int j;
        tmp[i] = 0;
        for (j = 0; j < ny; j++)
        {
            tmp[i] += A[i * ny + j] * x[j];
        }
    }
}

__kernel void atax_back(__global number *A, __global number *y,
                           __global number *tmp, int nx, int ny)
{
    int j = get_global_id(0);

    if (j < ny)
    {
        int i;
        y[j] = 0;
        for (i = 0; i < nx; i++)
        {
            y[j] += A[i * ny + j] * tmp[i];
        }
    }
}
