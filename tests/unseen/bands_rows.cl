__kernel void bands_rows(__global float *a, int rows, int n)
{
    int r = get_global_id(0);
    float sum = 0.0f;

    if (r < rows)
        for (int k = 0; k < n; k++) {
            sum = 0.9f * sum + a[r * n + k];
            a[r * n + k] = sum;
        }
}
