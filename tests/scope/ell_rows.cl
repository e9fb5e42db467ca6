/* ELL: entry k of all rows lies together; columns come from memory. */
__kernel void multiply_ell(__global const float *value, __global const int *column,
                           __global const float *x, __global float *y, int rows, int width)
{
    int row = get_global_id(0);

    if (row < rows) {
        float sum = 0.0f;

        for (int k = 0; k < width; k++)
            sum += value[k * rows + row] * x[column[k * rows + row]];
        y[row] = sum;
    }
}
