__kernel void embed_rows(__global const float4 *table, __global const int *token,
                         __global float4 *out, int tokens)
{
    int t = get_group_id(0), l = get_local_id(0);

    out[t * 64 + l] = table[token[t] * 64 + l];
}
