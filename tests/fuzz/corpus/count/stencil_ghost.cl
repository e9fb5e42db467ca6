// local=16,8; global=16*gx,8*gy; kernel=stencil_ghost; sub=32; assume=w >= 16;
kernel void stencil_ghost(global const float *in, global float *out, int w, int h, int steps)
{
    local float t[8][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = 12 * get_group_id(0) + tx - 2, y = 4 * get_group_id(1) + ty - 2;
    int cx = clamp(x, 0, w - 1), cy = clamp(y, 0, h - 1);
    t[ty][tx] = in[cy * w + cx];
    for (int s = 0; s < 2; s++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        bool inner = tx > s && tx < 15 - s && ty > s && ty < 7 - s;
        float v = inner ? t[ty - 1][tx] + t[ty + 1][tx] + t[ty][tx - 1] + t[ty][tx + 1] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inner)
            t[ty][tx] = v;
    }
    if (tx >= 2 && tx < 14 && ty >= 2 && ty < 6 && x < w && y < h)
        out[y * w + x] = t[ty][tx];
}
