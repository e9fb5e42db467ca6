/* Transposed matrix times vector: neighbours read neighbours, row after row. */
__kernel void column_sums(__global const float *a, __global const float *x, __global float *y,
                          int rows, int cols)
{
    int j = get_global_id(0);

    if (j < cols) {
        float sum = 0.0f;

        for (int i = 0; i < rows; i++)
            sum += a[i * cols + j] * x[i];
        y[j] = sum;
    }
}
