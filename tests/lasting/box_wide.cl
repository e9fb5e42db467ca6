__kernel void box_wide(__global const uchar *in, __global uchar *out, int w, int h, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;

    if (x >= w || y >= h)
        return;
    for (int dy = -5; dy <= 5; dy++)
        for (int dx = -5; dx <= 5; dx++) {
            int sx = min(max(x + dx, 0), w - 1), sy = min(max(y + dy, 0), h - 1);

            sum += in[sy * pitch + sx];
        }
    out[y * pitch + x] = (uchar)(sum / 121);
}
