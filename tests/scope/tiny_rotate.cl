/* Two columns of a small matrix turned in their plane. */
__kernel void tiny_rotate(__global double *m, int n, int p, int q, double c, double s)
{
    int i = get_global_id(0);

    if (i < n) {
        double a = m[i * n + p];
        double b = m[i * n + q];

        m[i * n + p] = c * a - s * b;
        m[i * n + q] = s * a + c * b;
    }
}
