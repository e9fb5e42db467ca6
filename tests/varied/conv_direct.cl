__kernel void conv_direct(__global const float *in, __global const float *k,
                          __global float *out, int w, int channels)
{
    int x = get_global_id(0), y = get_global_id(1), o = get_global_id(2) * 4, to = w - 2;

    if (x >= to || y >= to)
        return;
    float s[4] = { 0 };

    for (int c = 0; c < channels; c++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                float v = in[(c * w + y + j) * w + x + i];

                for (int q = 0; q < 4; q++)
                    s[q] += v * k[((o + q) * channels + c) * 9 + 3 * j + i];
            }
    for (int q = 0; q < 4; q++)
        out[((o + q) * to + y) * to + x] = s[q];
}
