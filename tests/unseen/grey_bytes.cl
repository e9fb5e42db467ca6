/* Grey of an image whose rows begin at any byte. */
__kernel void grey_bytes(__global const uchar *from, int pitch, int offset, __global uchar *to,
                         int to_pitch, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < w && y < h) {
        __global const uchar *pixel = from + mad24(y, pitch, offset + x * 3);

        to[mad24(y, to_pitch, x)] =
            (uchar)((pixel[0] * 4899 + pixel[1] * 9617 + pixel[2] * 1868 + 8192) >> 14);
    }
}
