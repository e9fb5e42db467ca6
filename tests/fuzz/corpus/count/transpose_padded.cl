// local=32,8; global=n,n/4; kernel=transpose_padded; assume=n % 32 = 0; sub=32; banks=32;
kernel void transpose_padded(global const float *in, global float *out, int n)
{
    local float t[32][33];
    int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
    for (int k = 0; k < 32; k += 8)
        t[get_local_id(1) + k][get_local_id(0)] = in[(y + k) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + get_local_id(0);
    y = get_group_id(0) * 32 + get_local_id(1);
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = t[get_local_id(0)][get_local_id(1) + k];
}
