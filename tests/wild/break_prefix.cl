/* Sum of the elements up to and with one's own, and the off-diagonal sum of one's row. */
__kernel void prefix(__global const float *x, __global float *y, int n)
{
    int id = get_global_id(0);
    float s = 0.0f;

    if (id >= n)
        return;
    for (int i = 0; i < n; i++) {
        if (i > id)
            break;
        s += x[i];
    }
    y[id] = s;
}

__kernel void off_diagonal(__global const float *a, __global float *y, int n)
{
    int row = get_global_id(0);
    float s = 0.0f;

    if (row < n) {
        for (int col = 0; col < n; ++col) {
            if (col == row)
                continue;
            s += fabs(a[row * n + col]);
        }
        y[row] = a[row * n + row] - s;
    }
}
