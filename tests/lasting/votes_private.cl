__kernel void votes_private(__global const uchar *label, __global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    int votes[16];

    if (x >= w || y >= h)
        return;
    for (int k = 0; k < 16; k++)
        votes[k] = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++)
            votes[label[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)]]++;
    int best = 0;

    for (int k = 1; k < 16; k++)
        best = votes[k] > votes[best] ? k : best;
    out[y * w + x] = best;
}
