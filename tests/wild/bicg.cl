/* q = A p and s = A^T r, the two products of a bi-conjugate gradient step, in double. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef double real;

__kernel void bicg_q(__global const real *A, __global const real *p, __global real *q,
                     const int nx, const int ny)
{
    const int row = get_global_id(0);

    if (!(row < nx))
        return;

    real sum = 0.0;
    __global const real *a = &A[row * ny];
    for (int j = 0; j < ny; ++j)
        sum += *a++ * p[j];
    q[row] = sum;
}

__kernel void bicg_s(__global const real *A, __global const real *r, __global real *s,
                     const int nx, const int ny)
{
    const int col = get_global_id(0);

    if (!(col < ny))
        return;

    real sum = 0.0;
    __global const real *a = A + col;
    for (int i = 0; i < nx; ++i, a += ny)
        sum += *a * r[i];
    s[col] = sum;
}
