#define TX 32
#define TY 8

/* Gradients of Sobel from a tile with a frame of one, filled by all work-items in turn. */
__kernel void gradient(__global const float *in, __global float *strength, __global float *angle,
                       int w, int h)
{
    __local float tile[(TY + 2) * (TX + 2)];
    int l = get_local_id(1) * TX + get_local_id(0);
    int left = (int)get_group_id(0) * TX - 1;
    int top = (int)get_group_id(1) * TY - 1;
    int x = get_global_id(0);
    int y = get_global_id(1);

    for (int i = l; i < (TY + 2) * (TX + 2); i += TX * TY) {
        int sx = min(max(left + i % (TX + 2), 0), w - 1);
        int sy = min(max(top + i / (TX + 2), 0), h - 1);

        tile[i] = in[sy * w + sx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h) {
        int at = (get_local_id(1) + 1) * (TX + 2) + get_local_id(0) + 1;
        float nw = tile[at - TX - 3];
        float ne = tile[at - TX - 1];
        float sw = tile[at + TX + 1];
        float se = tile[at + TX + 3];
        float gx = ne - nw + 2.0f * (tile[at + 1] - tile[at - 1]) + se - sw;
        float gy = sw - nw + 2.0f * (tile[at + TX + 2] - tile[at - TX - 2]) + se - ne;

        strength[y * w + x] = sqrt(gx * gx + gy * gy);
        angle[y * w + x] = atan2(gy, gx + 8.0f);
    }
}
