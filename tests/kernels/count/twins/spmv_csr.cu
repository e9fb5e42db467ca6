/* kernel: spmv_csr
 *
 * A matrix as a structure of pointers, made in the kernel; the average length of rows in a pragma.
 */
struct Rows {
    const int *start, *column;
    const float *value;
};

__global__ void spmv_csr(const int rows, const int *__restrict__ row_start,
                         const int *__restrict__ column, const float *__restrict__ value,
                         const float *__restrict__ x, float *__restrict__ y)
{
    const Rows a = {row_start, column, value};
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows) {
        float dot = 0;
        int first = a.start[row];
        int last = a.start[row + 1];
#pragma gpucal trips per_row
        for (int e = first; e < last; e++)
            dot += a.value[e] * x[a.column[e]];
        y[row] = dot;
    }
}
