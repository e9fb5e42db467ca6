/* Convolution with a filter of (2 HALF + 1)^2 weights in __constant memory. */
#define HALF 2
#define WIDTH (2 * HALF + 1)

__constant float weights[WIDTH * WIDTH] = {
    0.003f, 0.013f, 0.022f, 0.013f, 0.003f, 0.013f, 0.060f, 0.098f, 0.060f,
    0.013f, 0.022f, 0.098f, 0.162f, 0.098f, 0.022f, 0.013f, 0.060f, 0.098f,
    0.060f, 0.013f, 0.003f, 0.013f, 0.022f, 0.013f, 0.003f,
};

__kernel void convolve(__global const float *in, __global float *out, int w, int h)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    /* the image has a margin of HALF on every side, the result has none */
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    int f = 0;
    for (int dy = -HALF; dy <= HALF; dy++)
        for (int dx = -HALF; dx <= HALF; dx++, f++)
            sum += weights[f] * in[(y + HALF + dy) * (w + 2 * HALF) + x + HALF + dx];
    out[y * w + x] = sum;
}
