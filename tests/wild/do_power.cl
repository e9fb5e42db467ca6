/* x^(2^steps) by squaring, and a running product, in do loops. */
__kernel void do_power(__global const float *x, __global float *y, __global float *z,
                       const int n, const int steps)
{
    const int i = get_global_id(0);
    if (i < n) {
        float v = x[i];
        int s = 0;
        do {
            v *= v;
        } while (++s < steps);
        y[i] = v;

        float p = 1.0f;
        int k = n;
        do {
            k -= 8;
            p *= x[k + 7];
        } while (k >= 8);
        z[i] = p;
    }
}
