/* products.cu - products of matrices in bf16 by matrix units: C = A B^T, as layers of networks have it
 *
 * A work-group of eight warps computes 128 x 128 elements, a warp 64 x 32 of them, from tiles in shared
 * memory whose rows are padded so that eight of them are in different banks.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#define TILE 128 /* rows of A, and of B, of a block */
#define DEPTH 32 /* of a tile */
#define ROW 40   /* elements of a row in shared memory */

#define LOAD_X4(r, address)                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"              \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3])                        \
                 : "r"(address))
#define MMA(c, a, b0, b1)                                                                        \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "                          \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"               \
                 : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                        \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), "r"(b1))
#define COPY(to, from)                                                                           \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from))
#define COMMIT() asm volatile("cp.async.commit_group;")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n))

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* A warp's part of one tile: 64 x 32 elements, in steps of 16 of the depth. */
__device__ __forceinline__ void multiply(unsigned as, unsigned bs, float (&c)[4][4][4])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned a_row = as + ((warp % 2) * 64 + lane % 16) * ROW * 2 + lane / 16 * 16;
    unsigned b_row = bs + ((warp / 2) * 32 + lane % 8 + lane / 16 * 8) * ROW * 2 +
                     lane / 8 % 2 * 16;

#pragma unroll
    for (int k = 0; k < DEPTH / 16; k++) {
        unsigned a[4][4], b[2][4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            LOAD_X4(a[i], a_row + i * 16 * ROW * 2 + k * 32);
#pragma unroll
        for (int j = 0; j < 2; j++)
            LOAD_X4(b[j], b_row + j * 16 * ROW * 2 + k * 32);
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                MMA(c[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

__device__ __forceinline__ void store(float *out, int n, const float (&c)[4][4][4])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * TILE + (warp % 2) * 64 + lane / 4;
    int column = blockIdx.x * TILE + (warp / 2) * 32 + lane % 4 * 2;

#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float *to = out + (size_t)(row + i * 16) * n + column + j * 8;

            *(float2 *)to = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)(to + 8 * n) = make_float2(c[i][j][2], c[i][j][3]);
        }
}

/* By way of registers. */
__global__ void __launch_bounds__(256, 2) product_plain(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                                     float *out, int n)
{
    __shared__ __align__(16) __nv_bfloat16 as[TILE * ROW], bs[TILE * ROW];
    float c[4][4][4] = {};
    int row = threadIdx.x / 4, part = threadIdx.x % 4 * 8;
    const __nv_bfloat16 *a_from = a + (size_t)(blockIdx.y * TILE + row) * n + part;
    const __nv_bfloat16 *b_from = b + (size_t)(blockIdx.x * TILE + row) * n + part;

    for (int k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            *(uint4 *)&as[(row + 64 * i) * ROW + part] = *(const uint4 *)(a_from + (size_t)64 * i * n + k);
            *(uint4 *)&bs[(row + 64 * i) * ROW + part] = *(const uint4 *)(b_from + (size_t)64 * i * n + k);
        }
        __syncthreads();
        multiply(shared_address(as), shared_address(bs), c);
        __syncthreads();
    }
    store(out, n, c);
}

/* By asynchronous copies, STAGES tiles ahead. */
template <int STAGES>
__global__ void __launch_bounds__(256, 2) product_async(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                                     float *out, int n)
{
    __shared__ __align__(16) __nv_bfloat16 tiles[STAGES * 2 * TILE * ROW];
    float c[4][4][4] = {};
    int row = threadIdx.x / 4, part = threadIdx.x % 4 * 8;
    const __nv_bfloat16 *a_from = a + (size_t)(blockIdx.y * TILE + row) * n + part;
    const __nv_bfloat16 *b_from = b + (size_t)(blockIdx.x * TILE + row) * n + part;
    unsigned base = shared_address(tiles), to = base + (row * ROW + part) * 2;
    const unsigned bytes = TILE * ROW * 2;

#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            COPY(to + 2 * s * bytes + i * 64 * ROW * 2, a_from + (size_t)64 * i * n + s * DEPTH);
            COPY(to + (2 * s + 1) * bytes + i * 64 * ROW * 2, b_from + (size_t)64 * i * n + s * DEPTH);
        }
        COMMIT();
    }
    for (int t = 0; t < n / DEPTH; t++) {
        unsigned now = t % STAGES * 2 * bytes, next = (t + STAGES - 1) % STAGES * 2 * bytes;
        int k = (t + STAGES - 1) * DEPTH;

        WAIT(STAGES - 2);
        __syncthreads();
        if (k < n) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                COPY(to + next + i * 64 * ROW * 2, a_from + (size_t)64 * i * n + k);
                COPY(to + next + bytes + i * 64 * ROW * 2, b_from + (size_t)64 * i * n + k);
            }
        }
        COMMIT();
        multiply(base + now, base + now + bytes, c);
    }
    store(out, n, c);
}

/* By fragments: a warp 64 x 32 elements as four times two of 16 x 16. */
template <typename T>
__global__ void __launch_bounds__(256, 2) product_wmma(const T *a, const T *b, float *out, int n)
{
    using namespace nvcuda;
    __shared__ __align__(32) T as[TILE * ROW], bs[TILE * ROW];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4][2];
    int warp = threadIdx.x / 32, row = threadIdx.x / 4, part = threadIdx.x % 4 * 8;
    const T *a_from = a + (size_t)(blockIdx.y * TILE + row) * n + part;
    const T *b_from = b + (size_t)(blockIdx.x * TILE + row) * n + part;

#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::fill_fragment(c[i][j], 0.0f);
    for (int k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            *(uint4 *)&as[(row + 64 * i) * ROW + part] = *(const uint4 *)(a_from + (size_t)64 * i * n + k);
            *(uint4 *)&bs[(row + 64 * i) * ROW + part] = *(const uint4 *)(b_from + (size_t)64 * i * n + k);
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb[2];

#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::load_matrix_sync(fa[i], as + (warp % 2 * 64 + i * 16) * ROW + d, ROW);
#pragma unroll
            for (int j = 0; j < 2; j++)
                wmma::load_matrix_sync(fb[j], bs + (warp / 2 * 32 + j * 16) * ROW + d, ROW);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(c[i][j], fa[i], fb[j], c[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(out + (size_t)(blockIdx.y * TILE + warp % 2 * 64 + i * 16) * n +
                                        blockIdx.x * TILE + warp / 2 * 32 + j * 16,
                                    c[i][j], n, wmma::mem_row_major);
}
