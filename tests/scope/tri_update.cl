/* Symmetric update of rank k: the part above the diagonal is left as it is. */
__kernel void lower_update(__global const float *a, __global float *c, int n, int k)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if (i < n && j <= i) {
        float sum = 0.0f;

        for (int p = 0; p < k; p++)
            sum += a[p * n + i] * a[p * n + j];
        c[i * n + j] -= sum;
    }
}
