#define TURN(x, k) rotate((x), (uint)(32 - (k)))
#define MIX0(x) (TURN(x, 7) ^ TURN(x, 18) ^ ((x) >> 3))
#define MIX1(x) (TURN(x, 17) ^ TURN(x, 19) ^ ((x) >> 10))

/* Words of a block lie n apart. */
__kernel void digest_schedule(__global const uint *word, __global uint *digest, int n, int blocks)
{
    int i = get_global_id(0);
    uint a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;

    if (i >= n)
        return;
    for (int block = 0; block < blocks; block++) {
        uint w[16];

        for (int k = 0; k < 16; k++)
            w[k] = word[(block * 16 + k) * n + i];
        for (int r = 0; r < 64; r++) {
            uint t = d + (TURN(a, 6) ^ TURN(a, 11) ^ TURN(a, 25)) + ((a & b) ^ (~a & c)) + w[r & 15];

            w[r & 15] += MIX1(w[(r + 14) & 15]) + w[(r + 9) & 15] + MIX0(w[(r + 1) & 15]);
            d = c;
            c = b;
            b = a;
            a = t + (TURN(b, 2) ^ TURN(b, 13));
        }
    }
    digest[i] = a;
    digest[n + i] = b;
    digest[2 * n + i] = c;
    digest[3 * n + i] = d;
}
