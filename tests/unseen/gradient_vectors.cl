/* Central differences, eight pixels at a time; the image has a frame. */
__kernel void gradient_vectors(__global const float *from, __global float *to, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    int pitch = 8 * w + 8;

    if (x >= w || y >= h)
        return;
    {
        __global const float *here = from + (y + 1) * pitch + 4 + x * 8;
        float8 gx = vload8(0, here + 1) - vload8(0, here - 1);
        float8 gy = vload8(0, here + pitch) - vload8(0, here - pitch);

        vstore8(sqrt(gx * gx + gy * gy), 0, to + (y * w + x) * 8);
    }
}
