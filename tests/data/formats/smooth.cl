/* Neighbours up to the edges, whose counts have much in common. */
__kernel void smooth(__global const float *x, __global float *y, int n, int m)
{
    int i = get_global_id(0), j = get_global_id(1);
    float sum = 0;

    for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++) {
            int column = clamp(i + k, 0, n - 1), row = clamp(j + l, 0, m - 1);

            sum += x[row * n + column];
        }
    y[j * n + i] = sum;
}
