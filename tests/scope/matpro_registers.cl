#define SIDE 64 /* of a work-group's part of the product */
#define DEEP 16
#define OWN 4 /* each work-item has OWN x OWN elements, SIDE/OWN apart */
#define STEP (SIDE / OWN)

__kernel void product_registers(__global const float *restrict a, __global const float *restrict b,
                                __global float *restrict c, int n)
{
    __local float left[DEEP][SIDE], right[DEEP][SIDE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int l = y * STEP + x;
    int col0 = get_group_id(0) * SIDE;
    int row0 = get_group_id(1) * SIDE;
    float sum[OWN][OWN];

    for (int i = 0; i < OWN; i++)
        for (int j = 0; j < OWN; j++)
            sum[i][j] = 0.0f;
    for (int k0 = 0; k0 < n; k0 += DEEP) {
        for (int p = 0; p < OWN; p++) {
            left[x][y + p * STEP] = a[(row0 + y + p * STEP) * n + k0 + x];
            right[l / SIDE + p * (256 / SIDE)][l % SIDE] =
                b[(k0 + l / SIDE + p * (256 / SIDE)) * n + col0 + l % SIDE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < DEEP; k++) {
            float u[OWN], v[OWN];

            for (int i = 0; i < OWN; i++) {
                u[i] = left[k][y + i * STEP];
                v[i] = right[k][x + i * STEP];
            }
            for (int i = 0; i < OWN; i++)
                for (int j = 0; j < OWN; j++)
                    sum[i][j] += u[i] * v[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < OWN; i++)
        for (int j = 0; j < OWN; j++)
            c[(row0 + y + i * STEP) * n + col0 + x + j * STEP] = sum[i][j];
}
