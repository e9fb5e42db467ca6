/* Chroma pairs stand for two by two pixels. */
__kernel void video_colours(__global const uchar *luma, __global const uchar *chroma,
                            __global uchar4 *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h) {
        int c = (y >> 1) * w + (x & ~1);
        int l = 298 * (luma[y * w + x] - 16), u = chroma[c] - 128, v = chroma[c + 1] - 128;

        out[y * w + x] = convert_uchar4(clamp((int4)((l + 409 * v + 128) >> 8,
                                                     (l - 100 * u - 208 * v + 128) >> 8,
                                                     (l + 516 * u + 128) >> 8, 255), 0, 255));
    }
}
