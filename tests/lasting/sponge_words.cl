__kernel void sponge_words(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint a = (uint)(x[i] * 1e6f), b = i, c = 0x6b206574u, d = 0x79622d32u;

    for (int r = 0; r < 24; r++) {
        a += b;
        d = rotate(d ^ a, 16u);
        c += d;
        b = rotate(b ^ c, 12u);
        a += b;
        d = rotate(d ^ a, 8u);
        c += d;
        b = rotate(b ^ c, 7u);
    }
    out[i] = a ^ b ^ c ^ d;
}
