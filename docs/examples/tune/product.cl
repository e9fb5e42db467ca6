/* C = A B for square matrices of n rows.  A work-group has a tile of TILE * ROWS rows and
 * TILE columns of C, and each work-item ROWS elements of one column.  With LOCAL_B, the tile
 * of B is in local memory, as that of A always is.
 */
__kernel void product(__global const float *a, __global const float *b, __global float *c,
                      int n)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = TILE * get_group_id(0) + x;
    const int row = TILE * ROWS * get_group_id(1) + y;
    __local float a_tile[TILE * ROWS][TILE];
    float sum[ROWS];
#if LOCAL_B
    __local float b_tile[TILE][TILE];
#endif

    for (int i = 0; i < ROWS; i++)
        sum[i] = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        for (int i = 0; i < ROWS; i++)
            a_tile[y + TILE * i][x] = a[n * (row + TILE * i) + first + x];
#if LOCAL_B
        b_tile[y][x] = b[n * (first + y) + column];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
#if LOCAL_B
            const float factor = b_tile[k][x];
#else
            const float factor = b[n * (first + k) + column];
#endif
            for (int i = 0; i < ROWS; i++)
                sum[i] += a_tile[y + TILE * i][k] * factor;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < ROWS; i++)
        c[n * (row + TILE * i) + column] = sum[i];
}
