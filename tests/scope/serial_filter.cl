/* A recursive filter along time, a channel for each work-item: no step can begin early. */
__kernel void serial_filter(__global const float *in, __global float *out, int channels, int samples)
{
    int c = get_global_id(0);
    float y1 = 0.0f;
    float y2 = 0.0f;

    if (c >= channels)
        return;
    for (int t = 0; t < samples; t++) {
        float y = in[t * channels + c] + 1.2f * y1 - 0.5f * y2;

        out[t * channels + c] = y;
        y2 = y1;
        y1 = y;
    }
}
