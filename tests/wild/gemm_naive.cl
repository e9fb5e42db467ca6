/* C = alpha A B + beta C, row-major, one work-item an element. */
typedef float number;

__kernel void gemm(__global number *a, __global number *b, __global number *c,
                   number alpha, number beta, int ni, int nj, int nk)
{
    int j = get_global_id(0);
    int i = get_global_id(1);

    if ((i < ni) && (j < nj))
    {
        c[i * nj + j] *= beta;
        int k;
        for (k = 0; k < nk; k++)
        {
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
        }
    }
}
