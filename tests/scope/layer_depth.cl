/* A 5x5 filter for each channel; channels lie next to each other. */
__kernel void layer_depth(__global const float *in, __global const float *weight, __global float *out,
                          int w, int h, int channels)
{
    int c = get_global_id(0);
    int x = get_global_id(1);
    int y = get_global_id(2);

    if (c < channels && x < w && y < h) {
        float sum = 0.0f;

        for (int dy = 0; dy < 5; dy++)
            for (int dx = 0; dx < 5; dx++)
                sum += in[((y + dy) * (w + 4) + x + dx) * channels + c] * weight[(dy * 5 + dx) * channels + c];
        out[(y * w + x) * channels + c] = sum;
    }
}
