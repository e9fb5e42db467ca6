/* A 3 x 3 box blur of a grey image; pixels outside repeat those of the border. */
__kernel void blur(__global const uchar *restrict src, __global uchar *restrict dst,
                   const int width, const int height)
{
    const int2 pos = (int2)(get_global_id(0), get_global_id(1));

    if (pos.x >= width || pos.y >= height)
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const int y = clamp(pos.y + dy, 0, height - 1);
        for (int dx = -1; dx <= 1; ++dx) {
            const int x = clamp(pos.x + dx, 0, width - 1);
            sum += src[y * width + x];
        }
    }
    dst[pos.y * width + pos.x] = convert_uchar_sat((sum + 4) / 9);
}
