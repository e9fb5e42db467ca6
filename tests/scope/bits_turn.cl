/* A square of 32 x 32 bits turned over for each work-item: halves exchanged at five widths. */
__kernel void bits_turn(__global const uint *in, __global uint *out)
{
    int i = get_global_id(0);
    int squares = get_global_size(0);
    uint v[32];

    for (int k = 0; k < 32; k++)
        v[k] = in[k * squares + i];
    for (int k = 0; k < 16; k++) {
        uint t = (v[k] ^ (v[k + 16] >> 16)) & 0x0000ffffu;

        v[k] ^= t;
        v[k + 16] ^= t << 16;
    }
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 8; k++) {
            uint t = (v[16 * b + k] ^ (v[16 * b + k + 8] >> 8)) & 0x00ff00ffu;

            v[16 * b + k] ^= t;
            v[16 * b + k + 8] ^= t << 8;
        }
    for (int b = 0; b < 4; b++)
        for (int k = 0; k < 4; k++) {
            uint t = (v[8 * b + k] ^ (v[8 * b + k + 4] >> 4)) & 0x0f0f0f0fu;

            v[8 * b + k] ^= t;
            v[8 * b + k + 4] ^= t << 4;
        }
    for (int k = 0; k < 32; k++)
        out[k * squares + i] = v[k];
}
