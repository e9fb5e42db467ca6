__kernel void norm_apply(__global const float *x, __global const float *gain,
                         __global const float *shift, __global float *y, int channels,
                         int pixels, int total)
{
    int i = get_global_id(0);

    if (i < total) {
        int c = i / pixels % channels;

        y[i] = fmax(0.0f, x[i] * gain[c] + shift[c]);
    }
}
