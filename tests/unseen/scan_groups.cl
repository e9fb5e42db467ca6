/* Two elements a work-item; sweeps up and down. */
__kernel void scan_groups(__global int *x, __global int *total)
{
    __local int t[512];
    int l = get_local_id(0), base = get_group_id(0) * 512, offset = 1;

    t[2 * l] = x[base + 2 * l] & 1023;
    t[2 * l + 1] = x[base + 2 * l + 1] & 1023;
    for (int d = 256; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    if (l == 0) {
        total[get_group_id(0)] = t[511];
        t[511] = 0;
    }
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int low = t[offset * (2 * l + 1) - 1];

            t[offset * (2 * l + 1) - 1] = t[offset * (2 * l + 2) - 1];
            t[offset * (2 * l + 2) - 1] += low;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[base + 2 * l] = t[2 * l];
    x[base + 2 * l + 1] = t[2 * l + 1];
}
