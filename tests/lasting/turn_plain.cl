__kernel void turn_plain(__global const float *a, __global float *b, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h)
        b[(long)x * h + y] = a[(long)y * w + x];
}
