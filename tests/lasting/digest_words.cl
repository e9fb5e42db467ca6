__kernel void digest_words(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint a = (uint)(x[i] * 1e6f), b = i, c = 1, d = 2, e = 3, f = 4, g = 5, h = 6, w = a ^ b;

    for (int r = 0; r < 64; r++) {
        uint s1 = rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u), ch = (e & f) ^ (~e & g);
        uint t1 = h + s1 + ch + 0x428a2f98u + w;
        uint s0 = rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u), ma = (a & b) ^ (a & c) ^ (b & c);

        w = rotate(w, 25u) ^ rotate(w, 14u) ^ (w >> 3);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + s0 + ma;
    }
    out[i] = a + e;
}
