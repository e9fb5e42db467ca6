#define N 6

__kernel void smallmat_solve(__global const float *a, __global const float *b,
                             __global float *x, int n)
{
    int i = get_global_id(0);
    float m[N][N + 1];

    if (i >= n)
        return;
    for (int r = 0; r < N; r++) {
        for (int c = 0; c < N; c++)
            m[r][c] = a[i * N * N + r * N + c] + (r == c ? 8.0f : 0.0f);
        m[r][N] = b[i * N + r];
    }
    for (int k = 0; k < N; k++) {
        float inv = 1.0f / m[k][k];

        for (int r = k + 1; r < N; r++) {
            float f = m[r][k] * inv;

            for (int c = k; c <= N; c++)
                m[r][c] -= f * m[k][c];
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        float s = m[k][N];

        for (int c = k + 1; c < N; c++)
            s -= m[k][c] * m[c][N];
        m[k][N] = s / m[k][k];
        x[i * N + k] = m[k][N];
    }
}
