__kernel void doubles_series(__global const double *x, __global double *y, int n, int terms)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    double t = 1, sum = 1, v = x[i];

    for (int k = 1; k <= terms; k++) {
        t *= v / k;
        sum += t;
    }
    y[i] = sum;
}
