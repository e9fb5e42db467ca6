#define MIX(a, b, c, d, k)                                                    \
    (table[(a) & 255] ^ rotate(table[((b) >> 8) & 255], 8u) ^                 \
     rotate(table[((c) >> 16) & 255], 16u) ^ rotate(table[(d) >> 24], 24u) ^  \
     (k))

/* A block cipher of ten rounds over four words: bytes look up one table, whose words are turned. */
__kernel void cipher_global(__global const uint *table, __global const uint *key,
                            __global const uint4 *plain, __global uint4 *out, int blocks)
{
    int i = get_global_id(0);

    if (i >= blocks)
        return;
    uint4 s = plain[i];
    uint a = s.x ^ key[0];
    uint b = s.y ^ key[1];
    uint c = s.z ^ key[2];
    uint d = s.w ^ key[3];

    for (int r = 1; r < 11; r++) {
        uint e = MIX(a, b, c, d, key[4 * r]);
        uint f = MIX(b, c, d, a, key[4 * r + 1]);
        uint g = MIX(c, d, a, b, key[4 * r + 2]);
        uint h = MIX(d, a, b, c, key[4 * r + 3]);

        a = e;
        b = f;
        c = g;
        d = h;
    }
    out[i] = (uint4)(a, b, c, d);
}
