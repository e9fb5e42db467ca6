/* y = A x, A in ELLPACK: rows padded to 'width' elements, stored column by column. */
__kernel void spmv_ell(__global const double *data, __global const int *indices,
                       __global const double *x, __global double *y, const int rows,
                       const int width)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;

    double dot = 0;
    for (int n = 0; n < width; n++) {
        int col = indices[rows * n + row];
        double v = data[rows * n + row];
        if (v != 0)
            dot += v * x[col];
    }
    y[row] += dot;
}
