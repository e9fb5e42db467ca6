#define REACH 8

__kernel void gauss_columns(__global const float *in, __constant float *k,
                            __global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float s = 0.0f;

    for (int i = -REACH; i <= REACH; i++)
        s += k[i + REACH] * in[clamp(y + i, 0, h - 1) * w + x];
    out[y * w + x] = s;
}
