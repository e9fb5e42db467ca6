/* x times the share of a normal distribution below it, and a bias by column. */
__kernel void net_gelu(__global float *x, __global const float *bias, int rows, int width)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if (j < width && i < rows) {
        float v = x[i * width + j] + bias[j];

        x[i * width + j] = 0.5f * v * (1.0f + tanh(0.79788456f * (v + 0.044715f * v * v * v)));
    }
}
