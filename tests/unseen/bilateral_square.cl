__kernel void bilateral_square(__global const float *from, __global float *to, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f, weights = 0.0f, centre;

    if (x >= w || y >= h)
        return;
    centre = from[y * w + x];
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = from[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
            float d = v - centre;
            float weight = native_exp(-0.05f * (dx * dx + dy * dy) - 8.0f * d * d);

            sum += weight * v;
            weights += weight;
        }
    to[y * w + x] = sum / weights;
}
