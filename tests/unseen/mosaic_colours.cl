inline int at(__global const ushort *raw, int x, int y, int w, int h)
{
    x = x < 0 ? -x : x >= w ? 2 * w - 2 - x : x;
    y = y < 0 ? -y : y >= h ? 2 * h - 2 - y : y;
    return raw[y * w + x];
}

/* Means of neighbours of the colour that a pixel lacks; borders are mirrors. */
__kernel void mosaic_colours(__global const ushort *raw, __global ushort *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    int cross, corners, across, along, here;

    if (x >= w || y >= h)
        return;
    here = at(raw, x, y, w, h);
    across = (at(raw, x - 1, y, w, h) + at(raw, x + 1, y, w, h)) / 2;
    along = (at(raw, x, y - 1, w, h) + at(raw, x, y + 1, w, h)) / 2;
    cross = (across + along) / 2;
    corners = (at(raw, x - 1, y - 1, w, h) + at(raw, x + 1, y - 1, w, h) + at(raw, x - 1, y + 1, w, h) +
               at(raw, x + 1, y + 1, w, h)) / 4;
    if ((x & 1) == (y & 1)) {
        out[3 * (y * w + x)] = y & 1 ? corners : here;
        out[3 * (y * w + x) + 1] = cross;
        out[3 * (y * w + x) + 2] = y & 1 ? here : corners;
    } else {
        out[3 * (y * w + x)] = y & 1 ? along : across;
        out[3 * (y * w + x) + 1] = here;
        out[3 * (y * w + x) + 2] = y & 1 ? across : along;
    }
}
