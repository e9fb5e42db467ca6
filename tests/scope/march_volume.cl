/* Densities of a volume summed along its last axis, with what came before in the way. */
__kernel void march_volume(__global const uchar *density, __global float *light, int nx, int ny, int nz)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < nx && y < ny) {
        float through = 1.0f;
        float sum = 0.0f;

        for (int z = 0; z < nz; z++) {
            float d = (float)density[(z * ny + y) * nx + x] * 0.001f;

            sum += through * d;
            through *= 1.0f - d;
        }
        light[y * nx + x] = sum;
    }
}
