/* Counts of small numbers in a private table of each work-item, four bits at a time. */
__kernel void scratch_digits(__global const uint *value, __global int *most, int n, int each)
{
    int i = get_global_id(0);

    if (i < n) {
        int count[16];
        int best = 0;

        for (int k = 0; k < 16; k++)
            count[k] = 0;
        for (int e = 0; e < each; e++) {
            uint v = value[e * n + i];

            for (int d = 0; d < 8; d++) {
                count[v & 15u]++;
                v >>= 4;
            }
        }
        for (int k = 0; k < 16; k++)
            best = max(best, count[k] * 16 + k);
        most[i] = best;
    }
}
