/* Three diagonals, elimination down and back up: systems side by side, in double. */
__kernel void serial_tridiagonal(__global const double *low, __global const double *diagonal,
                                 __global const double *high, __global double *x,
                                 __global double *work, int n, int systems)
{
    int s = get_global_id(0);

    if (s >= systems)
        return;
    double pivot = 2.0 + diagonal[s];
    double last = x[s] / pivot;

    x[s] = last;
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        double up = high[at - systems] / pivot;

        work[at] = up;
        pivot = 2.0 + diagonal[at] - low[at] * up;
        last = (x[at] - low[at] * last) / pivot;
        x[at] = last;
    }
    for (int i = n - 2; i >= 0; i--) {
        last = x[i * systems + s] - work[(i + 1) * systems + s] * last;
        x[i * systems + s] = last;
    }
}
