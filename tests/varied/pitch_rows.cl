#define AT(p, x, y) (((__global int *)((p) + (y)*pitch))[x])

__kernel void pitch_rows(__global const uchar *src, __global uchar *dst, int pitch, int w,
                         int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    int left = x > 0 ? x - 1 : 0, right = x < w - 1 ? x + 1 : w - 1;
    int sum = ((__global const int *)(src + y * pitch))[left] / 4 +
              ((__global const int *)(src + y * pitch))[x] / 2 +
              ((__global const int *)(src + y * pitch))[right] / 4;

    AT(dst, x, y) = sum;
}
