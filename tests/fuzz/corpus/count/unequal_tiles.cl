// local=16,16; global=16*gx,16*gy; kernel=unequal_tiles; sub=32; banks=16;
kernel void unequal_tiles(global const float *a, global const float *b, global float *c, int n, int k)
{
    local float ta[16][17], tb[16][16];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        int inner = min(16, k - t);
        if (lx < inner && y < n)
            ta[ly][lx] = a[y * k + t + lx];
        if (ly < inner && x < n)
            tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int o = 0; o < inner; o++)
            sum += ta[ly][o] * tb[o][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}
