#define WORD(a, b, c, d, k)                                                              \
    (box[(a)&255] ^ box[256 + (((b) >> 8) & 255)] ^ box[512 + (((c) >> 16) & 255)] ^     \
     box[768 + ((d) >> 24)] ^ round_key[k])

__kernel void table_rounds(__global const uint4 *in, __global const uint *box,
                           __global const uint *round_key, __global uint4 *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint4 s = in[i];

    for (int r = 0; r < 10; r++)
        s = (uint4)(WORD(s.x, s.y, s.z, s.w, 4 * r), WORD(s.y, s.z, s.w, s.x, 4 * r + 1),
                    WORD(s.z, s.w, s.x, s.y, 4 * r + 2),
                    WORD(s.w, s.x, s.y, s.z, 4 * r + 3));
    out[i] = s;
}
