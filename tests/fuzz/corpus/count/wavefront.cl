// local=32; global=32*b; kernel=wavefront; sub=32; banks=32;
kernel void wavefront(global int *score, global const int *match, int n, int b)
{
    local int t[33 * 33];
    int l = get_local_id(0), g = get_group_id(0);
    t[(l + 1) * 33] = score[(g * 32 + l + 1) * n];
    for (int d = 0; d < 63; d++) {
        int i = d - l;
        if (i >= 0 && i < 32 && l <= d) {
            int best = max(t[i * 33 + l] + match[l], t[i * 33 + l + 1] - 2);
            t[(i + 1) * 33 + l + 1] = max(best, t[(i + 1) * 33 + l] - 2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 32; r++)
        score[(g * 32 + r) * n + l] = t[r * 33 + l];
}
