/* kernel: heat3_cube
 *
 * Products of integers by a constant function.
 */
__global__ void heat3_cube(const double *in, double *out, int nx, int ny, int nz, double w0,
                           double w1, double w2, double w3)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x;
    const int y = blockDim.y * blockIdx.y + threadIdx.y;
    const int z = blockDim.z * blockIdx.z + threadIdx.z;
    const double weight[4] = {w0, w1, w2, w3};
    double sum = 0;

    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                sum += weight[dx * dx + dy * dy + dz * dz] *
                       in[((z + dz) * ny + y + dy) * nx + x + dx];
    out[(z * ny + y) * nx + x] = sum;
}
