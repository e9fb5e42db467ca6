// local=16,16; global=16*gx,16*gy; kernel=anisotropic; sub=32; index=1;
kernel void anisotropic(global float *j, global float *c, int rows, int cols)
{
    int x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0), ty = get_local_id(1);
    local float t[16][16], north[16][16];
    int up = cols * max(y - 1, 0) + x;
    t[ty][tx] = j[cols * y + x];
    if (get_group_id(1) == 0)
        north[ty][tx] = j[x];
    else if (get_group_id(1) == get_num_groups(1) - 1 && ty == 15)
        north[ty][tx] = j[cols * (rows - 1) + x];
    else
        north[ty][tx] = j[up];
    barrier(CLK_LOCAL_MEM_FENCE);
    float n = ty == 0 ? north[0][tx] : t[ty - 1][tx], s = ty == 15 ? t[ty][tx] : t[ty + 1][tx];
    if (y < rows && x < cols && (tx > 0 || ty > 0))
        c[cols * y + x] = n * s;
}
