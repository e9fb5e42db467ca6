/* The tile has two more on each side. */
__kernel void wave_fourth(__global const float *now, __global float *before, int w, int h)
{
    __local float tile[12][36];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 8;
    int x = x0 + lx, y = y0 + ly, pitch = w + 4;

    for (int j = ly; j < 12; j += 8)
        for (int i = lx; i < 36; i += 32)
            tile[j][i] = now[min(y0 + j, h + 3) * pitch + min(x0 + i, w + 3)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h) {
        float c = tile[ly + 2][lx + 2];
        float sum = -5.0f * c +
                    1.33333f * (tile[ly + 2][lx + 1] + tile[ly + 2][lx + 3] + tile[ly + 1][lx + 2] +
                                tile[ly + 3][lx + 2]) -
                    0.083333f * (tile[ly + 2][lx] + tile[ly + 2][lx + 4] + tile[ly][lx + 2] +
                                 tile[ly + 4][lx + 2]);

        before[y * w + x] = 2.0f * c - before[y * w + x] + 0.2f * sum;
    }
}
