/* Column by column, so that neighbours read neighbours. */
__kernel void triangle_times(__global const float *a, __global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i < n) {
        for (int k = 0; k <= i; k++)
            sum += a[k * n + i] * x[k];
        y[i] = sum;
    }
}
