#define SIDE 4
#define BLOCKS 6 /* in each row of blocks */

/* Blocks of 4x4, the columns of a block row by a rule: a band with a gap. */
__kernel void multiply_blocks(__global const float *value, __global const float *x,
                              __global float *y, int n)
{
    int row = get_global_id(0);
    int block_row = row / SIDE;
    float sum = 0.0f;

    if (row >= n)
        return;
    for (int b = 0; b < BLOCKS; b++) {
        int column = (block_row + b * 5) * SIDE;

        for (int j = 0; j < SIDE; j++)
            sum += value[(b * SIDE + j) * n + row] * x[column + j];
    }
    y[row] = sum;
}
