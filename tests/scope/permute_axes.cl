/* b[k][i][j] = a[i][j][k]: neighbours read k planes apart, or write so. */
__kernel void permute_axes(__global const float *a, __global float *b, int ni, int nj, int nk)
{
    int j = get_global_id(0);
    int i = get_global_id(1);
    int k = get_global_id(2);

    if (j < nj && i < ni && k < nk)
        b[(k * ni + i) * nj + j] = a[(i * nj + j) * nk + k];
}
