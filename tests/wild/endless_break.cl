/* Grid-stride loops left by break, as people write them who think of the exit first. */
__kernel void clamp_all(__global float *x, const float low, const float high, const int n)
{
    int i = get_global_id(0);

    while (1) {
        if (i >= n)
            break;
        x[i] = clamp(x[i], low, high);
        i += get_global_size(0);
    }
}

__kernel void running_max(__global const float *x, __global float *y, const int n,
                          const int rows)
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    float m = x[row * n];
    int j = 0;

    for (;;) {
        y[row * n + j] = m;
        if (++j == n)
            break;
        m = fmax(m, x[row * n + j]);
    }
}
