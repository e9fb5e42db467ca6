/* Lower triangle of C = alpha A A^T + beta C. */
__kernel void syrk(__global const float *a, __global float *c, float alpha, float beta,
                   int m, int n)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if (i < n && j <= i) {
        float acc = beta * c[i * n + j];
        for (int k = 0; k < m; k++)
            acc += alpha * a[i * m + k] * a[j * m + k];
        c[i * n + j] = acc;
    }
}
