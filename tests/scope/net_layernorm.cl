/* Rows scaled to mean 0 and variance 1: 32 work-items for each row, four rows in a group. */
__kernel void net_layernorm(__global const float *in, __global const float *gain,
                            __global float *out, int rows, int width)
{
    __local float sums[4][32], squares[4][32];
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int row = get_global_id(1);
    float sum = 0.0f;
    float square = 0.0f;

    if (row < rows)
        for (int j = lx; j < width; j += 32) {
            float v = in[row * width + j];

            sum += v;
            square += v * v;
        }
    sums[ly][lx] = sum;
    squares[ly][lx] = square;
    for (int d = 16; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lx < d) {
            sums[ly][lx] += sums[ly][lx + d];
            squares[ly][lx] += squares[ly][lx + d];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < rows) {
        float mean = sums[ly][0] / (float)width;
        float scale = rsqrt(squares[ly][0] / (float)width - mean * mean + 1.0e-5f);

        for (int j = lx; j < width; j += 32)
            out[row * width + j] = (in[row * width + j] - mean) * scale * gain[j];
    }
}
