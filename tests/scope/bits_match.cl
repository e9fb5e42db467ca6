/* The nearest of a few patterns for each row of bits, by population counts. */
__kernel void bits_match(__global const uint4 *row, __constant uint4 *pattern, __global int *best,
                         int rows, int patterns)
{
    int i = get_global_id(0);

    if (i < rows) {
        uint4 mine = row[i];
        int nearest = 1000;

        for (int p = 0; p < patterns; p++) {
            uint4 other = pattern[p];
            int far = popcount(mine.x ^ other.x) + popcount(mine.y ^ other.y) +
                      popcount(mine.z ^ other.z) + popcount(mine.w ^ other.w);

            nearest = min(nearest, far * 64 + p);
        }
        best[i] = nearest;
    }
}
