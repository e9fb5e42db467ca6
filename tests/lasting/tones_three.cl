__kernel void tones_three(__global const uchar *in, __global const uchar *tone,
                          __global uchar *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = tone[256 * c + in[3 * i + c]];
}
