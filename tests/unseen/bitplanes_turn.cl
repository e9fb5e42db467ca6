/* Words of a block lie together. */
__kernel void bitplanes_turn(__global const uint *a, __global uint *b, int n)
{
    int i = get_global_id(0);
    uint x[32], mask = 0x0000ffffu;

    if (i >= n)
        return;
    for (int k = 0; k < 32; k++)
        x[k] = a[i * 32 + k];
    for (int j = 16; j > 0; j >>= 1) {
        for (int k = 0; k < 32; k++)
            if ((k & j) == 0) {
                uint t = (x[k] ^ (x[k + j] >> j)) & mask;

                x[k] ^= t;
                x[k + j] ^= t << j;
            }
        mask ^= mask << (j >> 1);
    }
    for (int k = 0; k < 32; k++)
        b[i * 32 + k] = x[k];
}
