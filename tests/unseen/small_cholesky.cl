/* The lower triangle, element by element over all matrices. */
__kernel void small_cholesky(__global float *a, int n)
{
    int i = get_global_id(0);
    float m[21];

    if (i >= n)
        return;
    for (int k = 0; k < 21; k++)
        m[k] = a[k * n + i];
    for (int k = 0; k < 6; k++)
        m[k * (k + 1) / 2 + k] += 6.0f;
    for (int k = 0; k < 6; k++) {
        float pivot = rsqrt(m[k * (k + 1) / 2 + k]);

        for (int r = k; r < 6; r++)
            m[r * (r + 1) / 2 + k] *= pivot;
        for (int c = k + 1; c < 6; c++)
            for (int r = c; r < 6; r++)
                m[r * (r + 1) / 2 + c] -= m[r * (r + 1) / 2 + k] * m[c * (c + 1) / 2 + k];
    }
    for (int k = 0; k < 21; k++)
        a[k * n + i] = m[k];
}
