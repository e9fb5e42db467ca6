/* Each byte of a pixel by a curve from a table in constant memory. */
__kernel void tone_curve(__global const uchar4 *in, __global uchar4 *out, __constant uchar *curve,
                         int n)
{
    int i = get_global_id(0);

    if (i < n) {
        uchar4 p = in[i];

        out[i] = (uchar4)(curve[p.x], curve[p.y], curve[p.z], p.w);
    }
}
