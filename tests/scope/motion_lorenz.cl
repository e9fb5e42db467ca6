/* Three coupled equations, Runge and Kutta's fourth order, in double. */
__kernel void motion_lorenz(__global double *x, __global double *y, __global double *z, int n,
                            int steps, double h)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    double a = x[i];
    double b = y[i];
    double c = z[i];

    for (int t = 0; t < steps; t++) {
        double sa = 0.0;
        double sb = 0.0;
        double sc = 0.0;
        double pa = a;
        double pb = b;
        double pc = c;

        for (int k = 0; k < 4; k++) {
            double da = 10.0 * (pb - pa);
            double db = pa * (28.0 - pc) - pb;
            double dc = pa * pb - 2.6666666 * pc;
            double weight = k == 0 || k == 3 ? 1.0 : 2.0;
            double far = k == 2 ? h : 0.5 * h;

            sa += weight * da;
            sb += weight * db;
            sc += weight * dc;
            pa = a + far * da;
            pb = b + far * db;
            pc = c + far * dc;
        }
        a += h * sa / 6.0;
        b += h * sb / 6.0;
        c += h * sc / 6.0;
    }
    x[i] = a;
    y[i] = b;
    z[i] = c;
}
