/* The mean of a square around each pixel; at borders the nearest pixel stands in. */
__kernel void smooth_window(__global const float *from, __global float *to, const int w, const int h,
                            const int radius)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.f;

    if (x >= w || y >= h)
        return;
    for (int dy = -radius; dy <= radius; dy++) {
        const int yy = clamp(y + dy, 0, h - 1);

        for (int dx = -radius; dx <= radius; dx++)
            sum += from[yy * w + clamp(x + dx, 0, w - 1)];
    }
    to[y * w + x] = sum / ((2 * radius + 1) * (2 * radius + 1));
}
