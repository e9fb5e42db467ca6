/* to = from transposed, n x n: loads follow each other in memory, stores are n apart. A
 * work-item moves every LSIZE_1-th row of its column of a tile.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

__kernel void transpose_plain(__global T *to, __global const T *from, int n)
{
    int column = TILE * get_group_id(0) + get_local_id(0);
    int row = TILE * get_group_id(1) + get_local_id(1);

    for (int k = 0; k < TILE; k += LSIZE_1)
        GPUCAL_TAG(trStore, to[n * column + row + k]) =
            GPUCAL_TAG(trLoad, from[n * (row + k) + column]);
}
