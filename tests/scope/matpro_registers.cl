#define SIDE 64 /* of a work-group's part of the product */
#define DEEP 8
#define OWN 4 /* each work-item has OWN x OWN elements, SIDE/OWN apart */
#define STEP (SIDE / OWN)

__kernel void product_registers(__global const float *restrict a, __global const float *restrict b,
                                __global float *restrict c, int n, int deep)
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
    for (int k0 = 0; k0 < deep; k0 += DEEP) {
        for (int p = 0; p < 2; p++) {
            left[l % DEEP][l / DEEP + 32 * p] = a[(row0 + l / DEEP + 32 * p) * deep + k0 + l % DEEP];
            right[l / SIDE + 4 * p][l % SIDE] = b[(k0 + l / SIDE + 4 * p) * n + col0 + l % SIDE];
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
