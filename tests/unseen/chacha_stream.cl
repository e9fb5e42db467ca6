#define QUARTER(a, b, c, d)                                                                            \
    a += b, d = rotate(d ^ a, 16u), c += d, b = rotate(b ^ c, 12u), a += b, d = rotate(d ^ a, 8u),     \
    c += d, b = rotate(b ^ c, 7u)

/* Twenty rounds for 64 bytes. */
__kernel void chacha_stream(__global const uint *key, __global const uint *text, __global uint *out, int n)
{
    int i = get_global_id(0);
    uint s[16], x[16];

    if (i >= n)
        return;
    s[0] = 0x61707865u;
    s[1] = 0x3320646eu;
    s[2] = 0x79622d32u;
    s[3] = 0x6b206574u;
    for (int k = 0; k < 8; k++)
        s[4 + k] = key[k];
    s[12] = i;
    s[13] = 0u;
    s[14] = 7u;
    s[15] = 1u;
    for (int k = 0; k < 16; k++)
        x[k] = s[k];
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = text[16 * i + k] ^ (x[k] + s[k]);
}
