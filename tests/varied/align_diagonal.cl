__kernel void align_diagonal(__global const uchar *a, __global const uchar *b,
                             __global int *out, int pairs)
{
    __local int h[2][65], best[64];
    __local uchar other[128];
    int l = get_local_id(0), g = get_group_id(0), top = 0, left = 0, corner = 0;
    uchar mine = a[64 * g + l];

    other[l] = b[128 * g + l];
    other[64 + l] = b[128 * g + 64 + l];
    h[0][l] = h[1][l] = 0;
    if (l == 0)
        h[0][64] = h[1][64] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 191; d++) {
        int at = d - l, now = 0, above = h[d & 1][l];

        if (at >= 0 && at < 128) {
            now =
                max(0, max(corner + (other[at] == mine ? 2 : -1), max(above, left) - 1));
            top = max(top, now);
        }
        corner = above;
        left = now;
        h[(d + 1) & 1][l + 1] = now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best[l] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 1; k < 64; k++)
            top = max(top, best[k]);
        out[g] = top;
    }
}
