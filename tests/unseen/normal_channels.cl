/* x = scale * (x - mean) + shift of its channel. */
__kernel void normal_channels(__global float *x, __global const float *mean, __global const float *scale,
                              __global const float *shift, int n, int channels, int plane)
{
    int i = get_global_id(0);

    if (i < n) {
        int c = (i / plane) % channels;

        x[i] = scale[c] * (x[i] - mean[c]) + shift[c];
    }
}
