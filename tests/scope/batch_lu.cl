#define N 6

/* A matrix for each work-item, in private memory; element (i, j) of all matrices lies together. */
__kernel void factor_small(__global float *a, int count)
{
    int id = get_global_id(0);
    float m[N][N];

    if (id >= count)
        return;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = a[(i * N + j) * count + id] + (i == j ? 8.0f : 0.0f);
    for (int k = 0; k < N; k++) {
        float inverse = 1.0f / m[k][k];

        for (int i = k + 1; i < N; i++) {
            m[i][k] *= inverse;
            for (int j = k + 1; j < N; j++)
                m[i][j] -= m[i][k] * m[k][j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[(i * N + j) * count + id] = m[i][j];
}
