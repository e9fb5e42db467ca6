/* The upper triangle of the covariance matrix, launched as a square. */
#define X(row, column) data[(row) * vars + (column)]
#define COV(row, column) cov[(row) * vars + (column)]

__kernel void covariance(__global const double *data, __global const double *mean,
                         __global double *cov, int vars, int samples)
{
    const int p = get_global_id(1);
    const int q = get_global_id(0);

    if (p >= vars || q >= vars || q < p)
        return;
    double sum = 0.0;
    for (int s = 0; s < samples; s++)
        sum += (X(s, p) - mean[p]) * (X(s, q) - mean[q]);
    COV(p, q) = sum / (samples - 1.0);
    if (p != q)
        COV(q, p) = COV(p, q);
}
