/* Four corners around a place from memory, blended: two loads follow from each place. */
__kernel void gather_blend(__global const float2 *place, __global const float *image,
                           __global float *out, int n, int w, int h)
{
    int i = get_global_id(0);

    if (i < n) {
        float2 p = place[i];
        float x = p.x * (float)(w - 2);
        float y = p.y * (float)(h - 2);
        int ix = (int)x;
        int iy = (int)y;
        float fx = x - (float)ix;
        float fy = y - (float)iy;
        int at = iy * w + ix;
        float top = mix(image[at], image[at + 1], fx);
        float bottom = mix(image[at + w], image[at + w + 1], fx);

        out[i] = mix(top, bottom, fy);
    }
}
