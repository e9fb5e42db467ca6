/* Luminance of four pixels for each work-item, packed into a vector of bytes. */
__kernel void gray(__global const uchar4 *in, __global uchar4 *out, int quads)
{
    int i = get_global_id(0);

    if (i < quads) {
        uchar4 a = in[4 * i];
        uchar4 b = in[4 * i + 1];
        uchar4 c = in[4 * i + 2];
        uchar4 d = in[4 * i + 3];

        out[i] = (uchar4)((54 * a.x + 183 * a.y + 19 * a.z) >> 8, (54 * b.x + 183 * b.y + 19 * b.z) >> 8,
                          (54 * c.x + 183 * c.y + 19 * c.z) >> 8, (54 * d.x + 183 * d.y + 19 * d.z) >> 8);
    }
}
