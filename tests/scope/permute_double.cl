/* Straight transposition of doubles: reads in order, writes a column apart. */
__kernel void permute_double(__global const double *in, __global double *out, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}
