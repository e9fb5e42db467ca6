/* Step k of modified Gram-Schmidt: the norm of column k, the column scaled, the others
 * made orthogonal to it.
 */
__kernel void gs_norm(__global float *a, __global float *r, int k, int m, int n)
{
    int tid = get_global_id(0);

    if (tid == 0) {
        float nrm = 0.0f;
        int i;
        for (i = 0; i < m; i++)
            nrm += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrt(nrm);
    }
}

__kernel void gs_project(__global float *a, __global float *r, __global float *q, int k,
                         int m, int n)
{
    int j = get_global_id(0) + (k + 1);
    int i;

    if (j >= n) {
        return;
    }
    r[k * n + j] = 0.0f;
    for (i = 0; i < m; i++) {
        r[k * n + j] += q[i * n + k] * a[i * n + j];
    }
    for (i = 0; i < m; i++) {
        a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}
