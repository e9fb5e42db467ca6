/* The value of rank twelve in a window of five by five, without sorting. */
__kernel void rank_order(__global const uchar *in, __global uchar *out, int w, int h)
{
    int x = get_global_id(0) + 2, y = get_global_id(1) + 2;

    if (x >= w - 2 || y >= h - 2)
        return;
    uchar v[25];

    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            v[5 * j + i] = in[(y + j - 2) * w + x + i - 2];
    uchar found = 0;

    for (int k = 0; k < 25; k++) {
        int below = 0;

        for (int m = 0; m < 25; m++)
            below += v[m] < v[k] || (v[m] == v[k] && m < k);
        if (below == 12)
            found = v[k];
    }
    out[y * w + x] = found;
}
