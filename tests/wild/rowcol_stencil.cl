/* Stencils on images that are launched as one long vector: rows and columns come from
 * divisions by sizes, and guards are on both.
 */
__kernel void heat(__global float *out, __global const float *in, int rows, int cols)
{
    int id = get_global_id(0);
    int row = id / cols, col = id % cols;

    if (id >= rows * cols)
        return;
    if (row > 0 && row < rows - 1 && col > 0 && col < cols - 1)
        out[id] = 0.2f * (in/*$mid*/[id] + in[id - 1] + in[id + 1] + in[id - cols] +
                          in[id + cols]);
    else
        out[id] = in[id];
}

__kernel void upwind(__global float *out, __global const float *in, int nx, int ny,
                     int nz)
{
    int id = get_global_id(0);
    int x = id % nx, y = id / nx % ny, z = id / nx / ny;

    if (id < nx * ny * nz && x > 0 && y < ny - 1 && z > 0)
        out[id] = in[id] - in[id - 1] + in[id + nx] - in[id - nx * ny];
}
