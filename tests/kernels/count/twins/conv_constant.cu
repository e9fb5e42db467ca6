/* kernel: convolve<2>
 *
 * Weights in constant memory, half the width as an argument of a template.
 */
__constant__ float weights[5 * 5] = {
    0.003f, 0.013f, 0.022f, 0.013f, 0.003f, 0.013f, 0.060f, 0.098f, 0.060f,
    0.013f, 0.022f, 0.098f, 0.162f, 0.098f, 0.022f, 0.013f, 0.060f, 0.098f,
    0.060f, 0.013f, 0.003f, 0.013f, 0.022f, 0.013f, 0.003f,
};

template <int Half> __global__ void convolve(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    int f = 0;
    for (int dy = -Half; dy <= Half; dy++)
        for (int dx = -Half; dx <= Half; dx++, f++)
            sum += weights[f] * in[(y + Half + dy) * (w + 2 * Half) + x + Half + dx];
    out[y * w + x] = sum;
}
