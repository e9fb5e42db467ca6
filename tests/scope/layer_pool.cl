/* The largest of each 2x2 points, and where it was. */
__kernel void layer_pool(__global const float *in, __global float *out, __global uchar *where, int w,
                         int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int plane = get_global_id(2);

    if (x < w / 2 && y < h / 2) {
        int at = (plane * h + 2 * y) * w + 2 * x;
        float a = in[at];
        float b = in[at + 1];
        float c = in[at + w];
        float d = in[at + w + 1];
        float top = fmax(fmax(a, b), fmax(c, d));
        int to = (plane * (h / 2) + y) * (w / 2) + x;

        out[to] = top;
        where[to] = top == a ? 0 : top == b ? 1 : top == c ? 2 : 3;
    }
}
