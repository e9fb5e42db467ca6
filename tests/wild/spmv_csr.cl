/* y = A x, A in compressed rows, one row a work-item.  How many elements a row has is
 * data: their average is the parameter 'per_row'.
 */
__kernel void spmv_csr(const int rows, __global const int *restrict row_start,
                       __global const int *restrict column,
                       __global const float *restrict value,
                       __global const float *restrict x, __global float *restrict y)
{
    int row = get_global_id(0);

    if (row < rows) {
        float dot = 0;
        int first = row_start[row];
        int last = row_start[row + 1];
#pragma gpucal trips per_row
        for (int e = first; e < last; e++)
            dot += value[e] * x[column[e]];
        y[row] = dot;
    }
}
