#define TURN(v, n) (((v) << (n)) | ((v) >> (32 - (n))))
#define QUARTER(a, b, c, d) \
    a += b;                 \
    d = TURN(d ^ a, 16);    \
    c += d;                 \
    b = TURN(b ^ c, 12);    \
    a += b;                 \
    d = TURN(d ^ a, 8);     \
    c += d;                 \
    b = TURN(b ^ c, 7);

/* Add, turn, xor over sixteen words that stay in private memory; a word of key by position. */
__kernel void mixing_rounds(__global const uint *key, __global uint *out, int blocks, int rounds)
{
    int i = get_global_id(0);
    uint v[16];

    if (i >= blocks)
        return;
    for (int k = 0; k < 16; k++)
        v[k] = key[k] + (uint)i;
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < 4; k++) {
            QUARTER(v[k], v[4 + k], v[8 + k], v[12 + k])
        }
        for (int k = 0; k < 4; k++) {
            QUARTER(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4])
        }
    }
    for (int k = 0; k < 16; k++)
        out[k * blocks + i] = v[k] + key[k];
}
