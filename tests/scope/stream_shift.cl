/* Differences of doubles at a distance: the second read begins anywhere in a line. */
__kernel void stream_shift(__global const double *in, __global double *out, int n, int shift)
{
    int i = get_global_id(0);

    if (i < n - shift)
        out[i] = in[i + shift] - in[i];
}
