/* Median of each element's neighbourhood of 3 x 3, sorted in a private array. */
__kernel void median3(__global const int *in, __global int *out, int w, int h)
{
    int v[9];
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;

    if (x >= w - 1 || y >= h - 1)
        return;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            v[3 * j + i] = in[(y + j - 1) * w + x + i - 1];

    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++) {
            int a = min(v[i], v[j]);
            int b = max(v[i], v[j]);
            v[i] = a;
            v[j] = b;
        }
    out[y * w + x] = v[4];
}
