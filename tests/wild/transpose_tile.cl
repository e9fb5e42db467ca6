/* Transpose of a rows x cols matrix through a tile whose rows are one longer, so that
 * columns meet different banks.
 */
#define TILE 16
#define STEP 4

__kernel void transpose(__global float *to, __global const float *from, int cols,
                        int rows)
{
    __local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TILE + lx;
    int y = get_group_id(1) * TILE + ly;

    for (int k = 0; k < TILE; k += STEP)
        if (x < cols && y + k < rows)
            tile[ly + k][lx] = from[(y + k) * cols + x];

    barrier(CLK_LOCAL_MEM_FENCE);

    x = get_group_id(1) * TILE + lx;
    y = get_group_id(0) * TILE + ly;

    for (int k = 0; k < TILE; k += STEP)
        if (x < rows && y + k < cols)
            to[(y + k) * rows + x] = tile[lx][ly + k];
}
