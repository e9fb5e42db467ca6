__kernel void doubles_axis(__global const double *x, __global double *y, int a, int b,
                           int c)
{
    int k = get_global_id(0), j = get_global_id(1);

    if (k >= c || j >= b)
        return;
    double s = 0.0;

    for (int i = 0; i < a; i++)
        s += x[(i * b + j) * c + k];
    y[j * c + k] = s;
}
