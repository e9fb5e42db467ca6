/* Mean and variance of each column, rows one after the other. */
__kernel void stats_columns(__global const double *data, __global double *mean,
                            __global double *variance, int rows, int cols)
{
    int j = get_global_id(0);

    if (j < cols) {
        double sum = 0.0;
        double square = 0.0;

        for (int i = 0; i < rows; i++) {
            double v = data[i * cols + j];

            sum += v;
            square += v * v;
        }
        sum /= (double)rows;
        mean[j] = sum;
        variance[j] = square / (double)rows - sum * sum;
    }
}
