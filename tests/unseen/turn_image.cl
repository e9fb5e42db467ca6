/* The nearest pixel, by integers, of a turn by a quarter and a shift. */
__kernel void turn_image(__read_only image2d_t from, __global float *to, int side)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    int2 at = (int2)(side - 1 - y, x);

    to[y * side + x] = 0.5f * read_imagef(from, nearest, at).x +
                       0.25f * read_imagef(from, nearest, at + (int2)(1, 0)).x +
                       0.25f * read_imagef(from, nearest, at + (int2)(0, 1)).x;
}
