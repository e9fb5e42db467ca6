__kernel void image_turned(__global const float *in, __global float *out, int w, int h, float c,
                           float s)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float fx = c * (x - w / 2) - s * (y - h / 2) + w / 2, fy = s * (x - w / 2) + c * (y - h / 2) + h / 2;
    int a = clamp((int)floor(fx), 0, w - 2), b = clamp((int)floor(fy), 0, h - 2);
    float p = fx - a, q = fy - b;

    out[y * w + x] = (1 - q) * ((1 - p) * in[b * w + a] + p * in[b * w + a + 1]) +
                     q * ((1 - p) * in[(b + 1) * w + a] + p * in[(b + 1) * w + a + 1]);
}
