/* Seven-point stencil in a box nx x ny x nz, boundary left alone. */
#define AT(nx, ny, i, j, k) ((i) + (nx) * ((j) + (ny) * (k)))

__kernel void stencil7(float c0, float c1, __global float *now, __global float *next,
                       int nx, int ny, int nz)
{
    int i = get_global_id(0) + 1;
    int j = get_global_id(1) + 1;
    int k = get_global_id(2) + 1;

    if (i < nx - 1 && j < ny - 1 && k < nz - 1)
        next[AT(nx, ny, i, j, k)] =
            (now[AT(nx, ny, i, j, k + 1)] + now[AT(nx, ny, i, j, k - 1)] +
             now[AT(nx, ny, i, j + 1, k)] + now[AT(nx, ny, i, j - 1, k)] +
             now[AT(nx, ny, i + 1, j, k)] + now[AT(nx, ny, i - 1, j, k)]) * c1
            - now[AT(nx, ny, i, j, k)] * c0;
}
