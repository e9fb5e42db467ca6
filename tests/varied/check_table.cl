__kernel void check_table(__global const uchar *data, __constant uint *table,
                          __global uint *out, int blocks)
{
    int b = get_global_id(0);

    if (b >= blocks)
        return;
    uint c = 0xffffffffu;

    for (int k = 0; k < 64; k++)
        c = table[(c ^ data[b * 64 + k]) & 255] ^ (c >> 8);
    out[b] = ~c;
}
