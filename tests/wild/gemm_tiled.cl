/* C = A B through square tiles in local memory; sizes need not be multiples of the tile:
 * what lies outside is loaded as zero.
 */
#ifndef BLOCK
#define BLOCK 8
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void gemm_tiled(const int M, const int N, const int K,
                const __global float *restrict A, const __global float *restrict B,
                __global float *restrict C)
{
    __local float As[BLOCK][BLOCK];
    __local float Bs[BLOCK][BLOCK + 1];

    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int row = get_group_id(1) * BLOCK + ty;
    const int col = get_group_id(0) * BLOCK + tx;
    const int tiles = (K + BLOCK - 1) / BLOCK;
    float acc = 0.0f;

    for (int t = 0; t < tiles; t++) {
        const int ka = t * BLOCK + tx;
        const int kb = t * BLOCK + ty;

        As[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for (int k = 0; k < BLOCK; k++)
            acc += As[ty][k] * Bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
