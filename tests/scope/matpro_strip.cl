#define TILE 32
#define ROWS 4 /* of the tile for each work-item */

__kernel void product_strip(__global const float *a, __global const float *b, __global float *c,
                            int n)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int col = get_group_id(0) * TILE + x;
    int top = get_group_id(1) * TILE;
    float sum[ROWS];

    for (int r = 0; r < ROWS; r++)
        sum[r] = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        for (int r = 0; r < ROWS; r++) {
            int line = y + r * (TILE / ROWS);

            left[line][x] = a[(top + line) * n + first + x];
            right[line][x] = b[(first + line) * n + col];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            float shared = right[k][x];

            for (int r = 0; r < ROWS; r++)
                sum[r] += left[y + r * (TILE / ROWS)][k] * shared;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < ROWS; r++)
        c[(top + y + r * (TILE / ROWS)) * n + col] = sum[r];
}
