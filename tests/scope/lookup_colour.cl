/* Colours of a cube of 32 levels in each of three directions, between its eight corners in one
 * direction, the nearest in the others.
 */
__kernel void lookup_colour(__global const uint *in, __global const float4 *cube,
                            __global float4 *out, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    uint p = in[y * w + x];
    uint red = p & 255;
    uint green = (p >> 8) & 255;
    uint blue = (p >> 16) & 255;
    uint row = ((blue >> 3) * 32 + (green >> 3)) * 32;
    uint first = red >> 3;
    uint second = min(first + 1, 31u);
    float part = (float)(red & 7) * 0.125f;

    out[y * w + x] = mix(cube[row + first], cube[row + second], part);
}
