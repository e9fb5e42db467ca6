#define TURN(x, k) (((x) >> (k)) | ((x) << (32 - (k))))

/* Words of a message lie n apart. */
__kernel void digest(__global const uint *in, __global uint *out, int n)
{
    int i = get_global_id(0);
    uint w[16];

    if (i >= n)
        return;
    for (int k = 0; k < 16; k++)
        w[k] = in[k * n + i];
    uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;

    for (int r = 0; r < 64; r++) {
        uint x = w[r & 15];

        if (r >= 16) {
            uint p = w[(r + 1) & 15], q = w[(r + 14) & 15];

            x += w[(r + 9) & 15] + (TURN(p, 7) ^ TURN(p, 18) ^ (p >> 3)) +
                 (TURN(q, 17) ^ TURN(q, 19) ^ (q >> 10));
            w[r & 15] = x;
        }
        uint t = h + (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25)) + ((e & f) ^ (~e & g)) + x +
                 r * 0x9e3779b9u;
        uint s = (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

        h = g;
        g = f;
        f = e;
        e = d + t;
        d = c;
        c = b;
        b = a;
        a = t + s;
    }
    out[i] = a;
    out[n + i] = b;
    out[2 * n + i] = c;
    out[3 * n + i] = d;
    out[4 * n + i] = e;
    out[5 * n + i] = f;
    out[6 * n + i] = g;
    out[7 * n + i] = h;
}
