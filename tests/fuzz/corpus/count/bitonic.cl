// local=64; global=n; kernel=bitonic; sub=64; budget=3;
kernel void bitonic(global uint *a, local uint *t, uint up)
{
    uint l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    for (uint size = 2; size <= 64; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint p = 2 * l - (l & (stride - 1));
            if (l < 32 && (t[p] > t[p + stride]) == up) {
                uint low = min(t[p], t[p + stride]);
                t[p + stride] = max(t[p], t[p + stride]);
                t[p] = low;
            }
        }
    a[get_global_id(0)] = t[l];
}
