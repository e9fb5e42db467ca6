/* C = A B, column-major, both operands through local memory, PER_M x PER_N results a
 * work-item in registers.
 */
#define TILE_M 16 /* tile of C */
#define TILE_N 16
#define TILE_K 8 /* depth of a step */
#define PER_M 4  /* results of a work-item */
#define PER_N 4
#define ITEMS_M (TILE_M / PER_M) /* work-items of a group */
#define ITEMS_N (TILE_N / PER_N)
#define LOADS_A ((TILE_K * TILE_M) / (ITEMS_M * ITEMS_N)) /* of a work-item and step */
#define LOADS_B ((TILE_K * TILE_N) / (ITEMS_M * ITEMS_N))

__kernel void gemm_regblock(const int M, const int N, const int K,
                            const __global float *A, const __global float *B,
                            __global float *C)
{
    const int lm = get_local_id(0);
    const int ln = get_local_id(1);
    const int item = ln * ITEMS_M + lm;
    const int top = TILE_M * get_group_id(0);
    const int left = TILE_N * get_group_id(1);

    __local float tile_a[TILE_K][TILE_M];
    __local float tile_b[TILE_N][TILE_K + 2];
    float a;
    float b[PER_N];
    float acc[PER_M][PER_N];

    for (int m = 0; m < PER_M; m++)
        for (int n = 0; n < PER_N; n++)
            acc[m][n] = 0.0f;

    int tiles = K / TILE_K;
    int t = 0;
    do {
        for (int load = 0; load < LOADS_A; load++) {
            int place = load * ITEMS_N * ITEMS_M + item;
            int row = place % TILE_M;
            int col = place / TILE_M;
            tile_a[col][row] = A[(TILE_K * t + col) * M + top + row];
        }
        for (int load = 0; load < LOADS_B; load++) {
            int place = load * ITEMS_N * ITEMS_M + item;
            int row = place % TILE_K;
            int col = place / TILE_K;
            tile_b[col][row] = B[(left + col) * K + TILE_K * t + row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TILE_K; k++) {
            for (int n = 0; n < PER_N; n++)
                b[n] = tile_b[ln + n * ITEMS_N][k];
            for (int m = 0; m < PER_M; m++) {
                a = tile_a[k][lm + m * ITEMS_M];
                for (int n = 0; n < PER_N; n++)
                    acc[m][n] += a * b[n];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        t++;
    } while (t < tiles);

    for (int m = 0; m < PER_M; m++) {
        int row_c = top + lm + m * ITEMS_M;
        for (int n = 0; n < PER_N; n++) {
            int col_c = left + ln + n * ITEMS_N;
            C[col_c * M + row_c] = acc[m][n];
        }
    }
}
