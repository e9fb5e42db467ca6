#define BYTE(v, n) (((v) >> (8 * (n))) & 255)
#define MIX(a, b, c, d, k)                                                  \
    (t[BYTE(a, 0)] ^ t[256 + BYTE(b, 1)] ^ t[512 + BYTE(c, 2)] ^            \
     t[768 + BYTE(d, 3)] ^ (k))

/* The same with four tables, which each work-group makes in local memory of words of all bits. */
__kernel void cipher_local(__global const uint *table, __global const uint *key,
                           __global const uint4 *plain, __global uint4 *out, int blocks)
{
    __local uint t[1024];
    int i = get_global_id(0);

    for (int k = get_local_id(0); k < 1024; k += 256)
        t[k] = table[k] * 2654435769u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= blocks)
        return;
    uint4 s = plain[i] ^ (uint4)(key[0], key[1], key[2], key[3]);

    for (int r = 1; r < 11; r++) {
        uint4 next;

        next.x = MIX(s.x, s.y, s.z, s.w, key[4 * r]);
        next.y = MIX(s.y, s.z, s.w, s.x, key[4 * r + 1]);
        next.z = MIX(s.z, s.w, s.x, s.y, key[4 * r + 2]);
        next.w = MIX(s.w, s.x, s.y, s.z, key[4 * r + 3]);
        s = next;
    }
    out[i] = s;
}
