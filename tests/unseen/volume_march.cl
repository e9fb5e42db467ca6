/* Slanted rays; the place of a step is a float, so that its cell is data. */
__kernel void volume_march(__global const float *volume, __global float *out, int side, int steps)
{
    int px = get_global_id(0), py = get_global_id(1);
    float sum = 0.0f, through = 1.0f;

    if (px >= side || py >= side)
        return;
    for (int s = 0; s < steps; s++) {
        float t = (float)s / steps * (side - 2);
        float x = fmin(px * 0.8f + 0.1f * t, side - 2.0f), y = fmin(py * 0.85f + 0.05f * t, side - 2.0f);
        int ix = x, iy = y, iz = t;
        float fx = x - ix, fy = y - iy, fz = t - iz;
        __global const float *v = volume + (iz * side + iy) * side + ix;
        float near = mix(mix(v[0], v[1], fx), mix(v[side], v[side + 1], fx), fy);
        float far = mix(mix(v[side * side], v[side * side + 1], fx),
                        mix(v[side * side + side], v[side * side + side + 1], fx), fy);
        float density = mix(near, far, fz) * 0.02f;

        sum += through * density;
        through *= 1.0f - density;
    }
    out[py * side + px] = sum;
}
