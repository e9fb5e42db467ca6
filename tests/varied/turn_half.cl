__kernel void turn_half(__global const ushort *a, __global ushort *b, int w, int h)
{
    __local ushort t[32][34];
    int lx = get_local_id(0), ly = get_local_id(1), x0 = get_group_id(0) * 32,
        y0 = get_group_id(1) * 32;

    for (int k = ly; k < 32; k += 8)
        t[k][lx] = a[(y0 + k) * w + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = ly; k < 32; k += 8)
        b[(x0 + k) * h + y0 + lx] = t[lx][k];
}
