__kernel void rows_ragged(__global const int *length, __global const int *column,
                          __global const float *value, __global const float *x,
                          __global float *y, int n)
{
    int row = get_global_id(0);

    if (row >= n)
        return;
    float sum = 0;

    for (int k = 0; k < length[row]; k++)
        sum += value[32 * row + k] * x[column[32 * row + k]];
    y[row] = sum;
}
