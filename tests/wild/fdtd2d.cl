/* A time step of a 2-D finite-difference time-domain scheme: electric field along y and
 * along x, then the magnetic field.  ex has a column more, ey a row more than hz.
 */
__kernel void fdtd_ey(__global const float *fict, __global float *ey,
                      __global const float *hz, int t, int nx, int ny)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if ((i < nx) && (j < ny)) {
        if (i == 0)
            ey[i * ny + j] = fict[t];
        else
            ey[i * ny + j] = ey[i * ny + j]
                           - 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
    }
}

__kernel void fdtd_ex(__global float *ex, __global const float *hz, int nx, int ny)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if ((i < nx) && (j < ny) && (j > 0))
        ex[i * (ny + 1) + j] = ex[i * (ny + 1) + j]
                             - 0.5f * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
}

__kernel void fdtd_hz(__global const float *ex, __global const float *ey,
                      __global float *hz, int nx, int ny)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if ((i < nx) && (j < ny))
        hz[i * ny + j] = hz[i * ny + j]
                       - 0.7f * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j]
                                 + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
