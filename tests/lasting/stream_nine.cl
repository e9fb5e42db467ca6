__kernel void stream_nine(__global const float *f, __global float *g,
                          __global const int *from, int n)
{
    int i = get_global_id(0);
    float v[9], rho = 0;

    if (i >= n)
        return;
    for (int q = 0; q < 9; q++) {
        v[q] = f[q * n + from[q * n + i]];
        rho += v[q];
    }
    for (int q = 0; q < 9; q++)
        g[q * n + i] = v[q] + 0.7f * (rho / 9 - v[q]);
}
