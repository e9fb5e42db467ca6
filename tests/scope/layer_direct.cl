/* 3x3 convolution over all input channels, an output point for each work-item. */
__kernel void layer_direct(__global const float *in, __global const float *weight, __global float *out,
                           int w, int h, int channels)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int k = get_global_id(2);
    float sum = 0.0f;

    if (x >= w - 2 || y >= h - 2)
        return;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                sum += in[(c * h + y + dy) * w + x + dx] * weight[((k * channels + c) * 3 + dy) * 3 + dx];
    out[(k * (h - 2) + y) * (w - 2) + x] = sum;
}
