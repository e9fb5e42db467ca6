/* All 27 neighbours, in double; the weight depends on how far away one is. */
__kernel void heat3_cube(__global const double *in, __global double *out, int nx, int ny, int nz,
                         double w0, double w1, double w2, double w3)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    double weight[4] = {w0, w1, w2, w3};
    double sum = 0.0;

    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sum += weight[dx * dx + dy * dy + dz * dz] * in[((z + dz) * ny + y + dy) * nx + x + dx];
    out[(z * ny + y) * nx + x] = sum;
}
