/* Sums over a window that grows with the position: late work-items work longest. */
__kernel void branch_wedge(__global const float *x, __global float *y, int n, int period)
{
    int i = get_global_id(0);
    int j = get_global_id(1);

    if (i < period && j < n) {
        float sum = 0.0f;

        for (int k = 0; k <= i; k++)
            sum += x[j * period + k] * (float)(i - k);
        y[j * period + i] = sum;
    }
}
