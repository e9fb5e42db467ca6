__kernel void channels_last(__global const float *in, __global float *out, int channels,
                            int pixels)
{
    int i = get_global_id(0), b = get_global_id(1), p = i % pixels, c = i / pixels;

    if (c < channels)
        out[((long)b * pixels + p) * channels + c] =
            in[((long)b * channels + c) * pixels + p];
}
