__kernel void special_double(__global const double *x, __global double *y, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        double v = x[i];

        y[i] = exp(-v) * sin(6.0 * v) + log(1.0 + v) / sqrt(v);
    }
}
