/* to = from transposed, n x n, tile by tile through local memory, so that loads and
 * stores alike follow each other in memory.  PAD elements more in a row of the tile
 * bring the elements of a column into different banks.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

__kernel void transpose_tiled(__global T *to, __global const T *from, int n)
{
    __local T tile[TILE][TILE + PAD];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int left = TILE * get_group_id(0);
    int top = TILE * get_group_id(1);

    for (int k = 0; k < TILE; k += LSIZE_1)
        tile[l1 + k][l0] = GPUCAL_TAG(trLoadTile, from[n * (top + l1 + k) + left + l0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k += LSIZE_1)
        GPUCAL_TAG(trStoreTile, to[n * (left + l1 + k) + top + l0]) = tile[l0][l1 + k];
}
