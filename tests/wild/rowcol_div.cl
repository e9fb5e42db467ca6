/* Rows divided by their sums; the matrix is launched as one long vector. */
__kernel void normalise(__global float *out, __global const float *in,
                        __global const float *row_sum, int rows, int cols)
{
    int id = get_global_id(0);
    int row = id / cols;
    int col = id % cols;

    if (id < rows * cols)
        out[col * rows + row] = in[id] / row_sum[row];
}
