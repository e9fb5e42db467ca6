/* Second time derivative of a pressure wave, eighth order in space; a frame of four cells is
 * left out.  The field of the step before is overwritten by the one after. */
__kernel void wave_step(__global const float *restrict now, __global float *restrict other,
                        __global const float *restrict speed, __constant float *c, int nx, int ny)
{
    int x = get_global_id(0) + 4;
    int y = get_global_id(1) + 4;
    int z = get_global_id(2) + 4;
    int plane = nx * ny;
    int at = z * plane + y * nx + x;

    if (x < nx - 4 && y < ny - 4) {
        float sum = 3.0f * c[0] * now[at];

        for (int k = 1; k <= 4; k++)
            sum += c[k] * (now[at - k] + now[at + k] + now[at - k * nx] + now[at + k * nx] +
                           now[at - k * plane] + now[at + k * plane]);
        other[at] = 2.0f * now[at] - other[at] + speed[at] * sum;
    }
}
