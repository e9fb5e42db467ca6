/* Bilinear doubling of a picture's height; 24-bit arithmetic for subscripts, choices
 * without branches.
 */
__kernel void double_rows(__global const float2 *restrict in,
                          __global float2 *restrict out, const int width,
                          const int height)
{
    const int x = get_global_id(0);
    const int y = mad24((int)get_group_id(1), (int)get_local_size(1),
                        (int)get_local_id(1));

    if (any((int2)(x, y) >= (int2)(width, 2 * height)))
        return;
    const int up = y >> 1;
    const int down = select(up, up + 1, up + 1 < height);
    const float2 a = in[mad24(up, width, x)];
    const float2 b = in[mul24(down, width) + x];

    out[mad24(y, width, x)] = (y & 1) ? 0.5f * (a + b) : a;
}
