/* 32 cells in each word, added bit by bit; words beside the first and the last are empty. */
__kernel void life_words(__global const uint *old, __global uint *new, int words, int rows)
{
    int x = get_global_id(0);
    int y = get_global_id(1) + 1;

    if (x >= words || y >= rows - 1)
        return;
    uint one = 0u;
    uint two = 0u;
    uint four = 0u;

    for (int d = -1; d <= 1; d++) {
        uint here = old[(y + d) * words + x];
        uint left = x > 0 ? old[(y + d) * words + x - 1] : 0u;
        uint right = x < words - 1 ? old[(y + d) * words + x + 1] : 0u;
        uint a = (here << 1) | (left >> 31);
        uint b = (here >> 1) | (right << 31);
        uint c = d != 0 ? here : 0u;
        uint low = a ^ b ^ c;
        uint high = (a & b) | (c & (a | b));
        uint carry = one & low;

        one ^= low;
        uint both = two & high;
        uint third = (two ^ high) & carry;

        two ^= high ^ carry;
        four |= both | third;
    }
    new[y * words + x] = two & ~four & (one | old[y * words + x]);
}
