/* kernel: gemm_tiled<float, BLOCK>
 *
 * The side of a tile is an argument of a template.
 */

template <typename T, int Side>
__global__ void __launch_bounds__(Side *Side)
    gemm_tiled(const int M, const int N, const int K, const T *__restrict__ A,
               const T *__restrict__ B, T *__restrict__ C)
{
    __shared__ T As[Side][Side];
    __shared__ T Bs[Side][Side + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * Side + ty;
    const int col = blockIdx.x * Side + tx;
    const int tiles = (K + Side - 1) / Side;
    auto acc = T(0);

    for (int t = 0; t < tiles; t++) {
        const int ka = t * Side + tx;
        const int kb = t * Side + ty;

        As[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : T(0);
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < Side; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}
