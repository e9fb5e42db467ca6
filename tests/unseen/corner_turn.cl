__kernel void corner_turn(__global const double *a, __global double *b, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h)
        b[x * h + y] = a[y * w + x];
}
