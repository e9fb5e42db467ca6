/* Transpose of a height x width matrix through a tile whose rows are one longer, so that
 * columns meet different banks.
 */
#define TILE_DIM 16
#define BLOCK_ROWS 4

__kernel void transpose(__global float *odata, __global const float *idata, int width,
                        int height)
{
    __local float tile[TILE_DIM][TILE_DIM + 1];

    int xIndex = get_group_id(0) * TILE_DIM + get_local_id(0);
    int yIndex = get_group_id(1) * TILE_DIM + get_local_id(1);

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (xIndex < width && yIndex + i < height)
            tile[get_local_id(1) + i][get_local_id(0)] = idata[(yIndex + i) * width + xIndex];

    barrier(CLK_LOCAL_MEM_FENCE);

    xIndex = get_group_id(1) * TILE_DIM + get_local_id(0);
    yIndex = get_group_id(0) * TILE_DIM + get_local_id(1);

    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (xIndex < height && yIndex + i < width)
            odata[(yIndex + i) * height + xIndex] = tile[get_local_id(0)][get_local_id(1) + i];
}
