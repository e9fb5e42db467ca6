__kernel void cipher_words(__global const ulong2 *in, __global ulong2 *out,
                           __global const ulong *keys, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    ulong x = in[i].x, y = in[i].y;

    for (int r = 0; r < 27; r++) {
        x = ((x >> 8) | (x << 56)) + y;
        x ^= keys[r];
        y = ((y << 3) | (y >> 61)) ^ x;
    }
    out[i] = (ulong2)(x, y);
}
