/* Products of two columns summed over all rows, for each pair: both read down their columns. */
__kernel void stats_pairs(__global const float *data, __global float *product, int rows, int cols)
{
    int i = get_global_id(0);

    if (i < cols)
        for (int j = i; j < cols; j++) {
            float sum = 0.0f;

            for (int r = 0; r < rows; r++)
                sum += data[r * cols + i] * data[r * cols + j];
            product[i * cols + j] = sum;
            product[j * cols + i] = sum;
        }
}
