/* kernel: gemm_regblock
 *
 * What depends on sizes is in a class of a template; registers are an object's member.
 */
template <int M, int N, int K, int PerM, int PerN> struct Shape {
    static constexpr int items_m = M / PerM, items_n = N / PerN;
    static constexpr int loads_a = K * M / (items_m * items_n);
    static constexpr int loads_b = K * N / (items_m * items_n);
};

using S = Shape<16, 16, 8, 4, 4>;

__global__ void gemm_regblock(const int M, const int N, const int K, const float *A,
                              const float *B, float *C)
{
    const int lm = threadIdx.x, ln = threadIdx.y;
    const int item = ln * S::items_m + lm;
    const int top = 16 * blockIdx.x;
    const int left = 16 * blockIdx.y;
    __shared__ float tile_a[8][16], tile_b[16][8 + 2];
    float a, b[4], acc[4][4];

    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++)
            acc[m][n] = 0.0f;

    int tiles = K / 8, t = 0;
    do {
        for (int load = 0; load < S::loads_a; load++) {
            int place = load * S::items_n * S::items_m + item;
            int row = place % 16, col = place / 16;
            tile_a[col][row] = A[(8 * t + col) * M + top + row];
        }
        for (int load = 0; load < S::loads_b; load++) {
            int place = load * S::items_n * S::items_m + item;
            int row = place % 8, col = place / 8;
            tile_b[col][row] = B[(left + col) * K + 8 * t + row];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            for (int n = 0; n < 4; n++)
                b[n] = tile_b[ln + n * S::items_n][k];
            for (int m = 0; m < 4; m++) {
                a = tile_a[k][lm + m * S::items_m];
                for (int n = 0; n < 4; n++)
                    acc[m][n] += a * b[n];
            }
        }
        __syncthreads();
        t++;
    } while (t < tiles);

    for (int m = 0; m < 4; m++) {
        int row_c = top + lm + m * S::items_m;
        for (int n = 0; n < 4; n++) {
            int col_c = left + ln + n * S::items_n;
            C[col_c * M + row_c] = acc[m][n];
        }
    }
}
