__kernel void depth_five(__global const float *in, __global const float *weight,
                         __global float *out, int w, int h, int channels)
{
    int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2);

    if (x >= w || y >= h)
        return;
    float sum = 0;

    for (int ky = 0; ky < 5; ky++)
        for (int kx = 0; kx < 5; kx++) {
            int sx = x + kx - 2, sy = y + ky - 2;

            if (sx >= 0 && sx < w && sy >= 0 && sy < h)
                sum += in[(c * h + sy) * w + sx] * weight[c * 25 + ky * 5 + kx];
        }
    out[(c * h + y) * w + x] = sum;
}
