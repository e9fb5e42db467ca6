/* Seven points in space; the surface of the block keeps its values. */
__kernel void heat3_seven(__global const float *old, __global float *new, int nx, int ny, int nz)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);

    if (x >= nx || y >= ny || z >= nz)
        return;
    int at = (z * ny + y) * nx + x;

    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
        new[at] = old[at];
    } else {
        float around = old[at - 1] + old[at + 1] + old[at - nx] + old[at + nx] +
                       old[at - nx * ny] + old[at + nx * ny];

        new[at] = 0.4f * old[at] + 0.1f * around;
    }
}
