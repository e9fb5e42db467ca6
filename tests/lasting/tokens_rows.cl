__kernel void tokens_rows(__global const int *token, __global const float *table,
                          __global const float *scale, __global float *out, int width)
{
    int t = get_group_id(1), x = get_global_id(0);

    if (x < width)
        out[t * width + x] = table[token[t] * width + x] * scale[x];
}
