/* Four neighbouring work-items have a block row. */
__kernel void block_sparse(__global const int *column, __global const float *value,
                           __global const float *x, __global float *y, int rows, int blocks)
{
    int row = get_global_id(0) / 4, lane = get_global_id(0) % 4;

    if (row < rows) {
        float sum = 0.0f;

        for (int b = 0; b < blocks; b++) {
            int k = row * blocks + b;
            float4 v = vload4(0, x + 4 * column[k]);
            float4 m = vload4(0, value + 16 * k + 4 * lane);

            sum += dot(m, v);
        }
        y[4 * row + lane] = sum;
    }
}
