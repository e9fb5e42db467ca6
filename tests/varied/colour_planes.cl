__kernel void colour_planes(__global const uchar *rgb, __global uchar *luma,
                            __global uchar *cb, __global uchar *cr, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    int at = y * w + x;
    int r = rgb[3 * at], g = rgb[3 * at + 1], b = rgb[3 * at + 2];

    luma[at] = (uchar)((77 * r + 150 * g + 29 * b) >> 8);
    cb[at] = (uchar)(((-43 * r - 85 * g + 128 * b) >> 8) + 128);
    cr[at] = (uchar)(((128 * r - 107 * g - 21 * b) >> 8) + 128);
}
