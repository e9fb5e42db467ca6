/* Correlation matrix of m columns of n data: means, deviations, then the triangle. */
#define EPS 0.2f

__kernel void corr_mean(__global float *mean, __global float *data, float float_n, int m,
                        int n)
{
    int j = get_global_id(0);

    if (j < m) {
        mean[j] = 0.0f;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= float_n;
    }
}

__kernel void corr_std(__global float *mean, __global float *std, __global float *data,
                       float float_n, int m, int n)
{
    int j = get_global_id(0);

    if (j < m) {
        float acc = 0.0f;
        for (int i = 0; i < n; i++)
            acc += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        acc = sqrt(acc / float_n);
        std[j] = acc <= EPS ? 1.0f : acc;
    }
}

__kernel void corr_corr(__global float *symmat, __global float *data, int m, int n)
{
    int j1 = get_global_id(0);
    int i, j2;

    if (j1 < (m - 1)) {
        symmat[j1 * m + j1] = 1.0f;

        for (j2 = (j1 + 1); j2 < m; j2++) {
            float sum = 0.0f;
            for (i = 0; i < n; i++)
                sum += data[i * m + j1] * data[i * m + j2];
            symmat[j1 * m + j2] = sum;
            symmat[j2 * m + j1] = symmat[j1 * m + j2];
        }
    }
}
