/* How many rounds a point stays near, in double, without leaving the loop. */
__kernel void fractal_julia(__global int *stays, int w, int h, int rounds, double cx, double cy)
{
    int px = get_global_id(0);
    int py = get_global_id(1);
    double x = 0.001 * (double)px - 1.5;
    double y = 0.001 * (double)py - 1.0;
    int count = 0;

    if (px >= w || py >= h)
        return;
    for (int r = 0; r < rounds; r++) {
        double next = fma(x, x, cx - y * y);

        y = fma(2.0 * x, y, cy);
        x = next;
        count += x * x + y * y < 4.0;
    }
    stays[py * w + px] = count;
}
