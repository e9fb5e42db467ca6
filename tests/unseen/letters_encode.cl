/* Base 64. */
__kernel void letters_encode(__global const uchar *from, __constant uchar *letter, __global uchar *to, int n)
{
    size_t i = get_global_id(0);

    if (i < n) {
        uint v = from[3 * i] << 16 | from[3 * i + 1] << 8 | from[3 * i + 2];

        to[4 * i] = letter[v >> 18];
        to[4 * i + 1] = letter[v >> 12 & 63];
        to[4 * i + 2] = letter[v >> 6 & 63];
        to[4 * i + 3] = letter[v & 63];
    }
}
