/* Floats to bytes with saturation, an offset and a scale for each row. */
__kernel void bytes_pack(__global const float *in, __global uchar *out, __global const float *scale,
                         int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < w && y < h)
        out[y * w + x] = convert_uchar_sat(in[y * w + x] * scale[y] * 400.0f);
}
