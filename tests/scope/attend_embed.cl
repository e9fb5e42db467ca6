/* Rows of a table for tokens, and a wave by position added. */
__kernel void attend_embed(__global const float *table, __global const int *token,
                           __global float *out, int width)
{
    int j = get_global_id(0);
    int t = get_global_id(1);

    if (j < width)
        out[t * width + j] = table[token[t] * width + j] + native_sin((float)t * 0.01f + (float)j * 0.002f);
}
