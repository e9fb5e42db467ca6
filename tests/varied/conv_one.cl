__kernel void conv_one(__global const float *in, __global const float *w,
                       __global float *out, int pixels, int channels)
{
    int p = get_global_id(0), o = get_global_id(1);

    if (p >= pixels)
        return;
    float s = 0.0f;

    for (int c = 0; c < channels; c++)
        s += w[o * channels + c] * in[c * pixels + p];
    out[o * pixels + p] = s;
}
