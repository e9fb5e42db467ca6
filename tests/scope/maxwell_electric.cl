/* The electric field in space from the curl of the magnetic one; three arrays each. */
__kernel void maxwell_electric(__global float *restrict ex, __global float *restrict ey,
                               __global float *restrict ez, __global const float *restrict hx,
                               __global const float *restrict hy, __global const float *restrict hz,
                               int nx, int ny, int nz, float c)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);

    if (x > 0 && y > 0 && z > 0 && x < nx && y < ny && z < nz) {
        int at = (z * ny + y) * nx + x;
        int row = at - nx;
        int plane = at - nx * ny;

        ex[at] += c * (hz[at] - hz[row] - hy[at] + hy[plane]);
        ey[at] += c * (hx[at] - hx[plane] - hz[at] + hz[at - 1]);
        ez[at] += c * (hy[at] - hy[at - 1] - hx[at] + hx[row]);
    }
}
