/* Planes of an image scaled by channel, found by division of the position. */
__kernel void net_batchnorm(__global const float *in, __global float *out, __global const float *mean,
                            __global const float *scale, int plane, int channels, int images)
{
    int i = get_global_id(0);

    if (i < plane * channels * images) {
        int c = i / plane % channels;

        out[i] = fmax((in[i] - mean[c]) * scale[c], 0.0f);
    }
}
