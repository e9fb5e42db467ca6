__kernel void columns_dot(__global const double *a, __global const double *x, __global double *y, int m,
                          int n)
{
    int j = get_global_id(0);
    double sum = 0.0;

    if (j < n) {
        for (int i = 0; i < m; i++)
            sum += a[(size_t)i * n + j] * x[i];
        y[j] = sum;
    }
}
