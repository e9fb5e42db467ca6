/* Entries of a row lie beside each other: lanes are eight apart. */
__kernel void csr_scalar(__global const int *col, __global const float *val,
                         __global const float *x, __global float *y, int n)
{
    int r = get_global_id(0);
    float s = 0.0f;

    if (r >= n)
        return;
    for (int j = 8 * r; j < 8 * r + 8; j++)
        s += val[j] * x[col[j]];
    y[r] = s;
}
