/* Keeps a point that is at least as strong as both neighbours across its edge. */
__kernel void thin(__global const float *strength, __global const float *slope,
                   __global uchar *edge, int w, int h, float least)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        int at = y * w + x;
        float here = strength[at];
        float steep = slope[at];
        float a = steep > 0.75f ? strength[at - w] : strength[at - 1];
        float b = steep > 0.75f ? strength[at + w] : strength[at + 1];

        edge[at] = here >= a && here >= b && here > least ? 255 : 0;
    }
}
