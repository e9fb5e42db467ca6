__kernel void check_bits(__global const uchar *data, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint c = ~0u;

    for (int b = 0; b < 32; b++) {
        c ^= data[32 * i + b];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
    }
    out[i] = ~c;
}
