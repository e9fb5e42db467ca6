// local=64; global=n; kernel=scan_halving; sub=32; banks=32;
kernel void scan_halving(global float *a, local float *t, int n)
{
    int l = get_local_id(0), offset = 1;
    t[2 * l] = a[2 * get_global_id(0)];
    t[2 * l + 1] = a[2 * get_global_id(0) + 1];
    for (int d = 64; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int i = offset * (2 * l + 1) - 1, j = offset * (2 * l + 2) - 1;
            t[j] += t[i];
        }
        offset *= 2;
    }
    a[2 * get_global_id(0)] = t[2 * l];
}
