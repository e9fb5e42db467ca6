__kernel void corner_tile(__global const float2 *a, __global float2 *b, int w, int h)
{
    __local float2 tile[32][33];
    int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);

    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h)
            tile[get_local_id(1) + k][get_local_id(0)] = a[(y + k) * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + get_local_id(0);
    y = get_group_id(0) * 32 + get_local_id(1);
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w)
            b[(y + k) * h + x] = tile[get_local_id(0)][get_local_id(1) + k];
}
