/* Each pixel from four of an image of half the size. */
__kernel void enlarge_linear(__global const float *from, __global float *to, int sw, int sh, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h) {
        float fx = (x + 0.5f) * 0.5f - 0.5f, fy = (y + 0.5f) * 0.5f - 0.5f;
        int x0 = clamp((int)floor(fx), 0, sw - 1), y0 = clamp((int)floor(fy), 0, sh - 1);
        int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
        float ax = fx - floor(fx), ay = fy - floor(fy);
        float top = from[y0 * sw + x0] * (1.0f - ax) + from[y0 * sw + x1] * ax;
        float low = from[y1 * sw + x0] * (1.0f - ax) + from[y1 * sw + x1] * ax;

        to[y * w + x] = top * (1.0f - ay) + low * ay;
    }
}
