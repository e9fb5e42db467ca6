// Vectors and matrices, as CUDA programs write them.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t e = (call);                                                           \
        if (e != cudaSuccess) {                                                           \
            std::printf("%s: %s\n", #call, cudaGetErrorString(e));                        \
            return 1;                                                                     \
        }                                                                                 \
    } while (0)

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// A grid of any size strides over the vectors.
template <typename T> __global__ void triad(T *a, const T *b, const T *c, T s, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = b[i] + s * c[i];
}

__global__ void copy4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n)
        reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

// A warp for each row.
__global__ void gemv_warp(const float *a, const float *x, float *y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = lane; c < cols; c += 32)
        sum += a[row * cols + c] * x[c];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

__global__ void gemm_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum = fmaf(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}

template <typename T, int TILE>
__global__ void gemm_tiled(const T *__restrict__ a, const T *__restrict__ b, T *c, int n)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    T sum = T(0);
    for (int tile = 0; tile < n; tile += TILE) {
        as[y][x] = a[row * n + tile + x];
        bs[y][x] = b[(tile + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// Each thread has R x R elements of a tile of BLOCK * R squared.
template <int BLOCK, int R>
__global__ void gemm_registers(const float *__restrict__ a, const float *__restrict__ b,
                               float *__restrict__ c, int n)
{
    constexpr int T = BLOCK * R;
    __shared__ float as[T][8 + 1], bs[8][T];
    const int x = threadIdx.x, y = threadIdx.y, id = y * BLOCK + x;
    const float *ap = a + blockIdx.y * T * n, *bp = b + blockIdx.x * T;
    float acc[R][R] = {};
    for (int tile = 0; tile < n; tile += 8) {
        for (int i = id; i < T * 8; i += BLOCK * BLOCK) {
            as[i / 8][i % 8] = ap[(i / 8) * n + tile + i % 8];
            bs[i / T][i % T] = bp[(tile + i / T) * n + i % T];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float u[R], v[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                u[i] = as[y + i * BLOCK][k];
                v[i] = bs[k][x + i * BLOCK];
            }
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    acc[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++)
            c[(blockIdx.y * T + y + i * BLOCK) * n + blockIdx.x * T + x + j * BLOCK] =
                acc[i][j];
}

__global__ void transpose_naive(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

// Blocks of 32 x 8 threads; PAD 1 avoids conflicts of banks.
template <int PAD> __global__ void transpose_tile(const float *in, float *out, int w, int h)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

struct Vec3 {
    float x, y, z;
    __device__ Vec3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ Vec3 operator-(const Vec3 &o) const { return Vec3(x - o.x, y - o.y, z - o.z); }
    __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ Vec3 cross(const Vec3 &o) const
    {
        return Vec3(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x);
    }
};

// Three equations with three unknowns in each thread, by Cramer's rule.
__global__ void solve3(const float *m, const float *b, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec3 c0(m[i], m[i + n], m[i + 2 * n]), c1(m[i + 3 * n], m[i + 4 * n], m[i + 5 * n]);
    Vec3 c2(m[i + 6 * n], m[i + 7 * n], m[i + 8 * n]), r(b[i], b[i + n], b[i + 2 * n]);
    Vec3 n12 = c1.cross(c2);
    float inverse = 1.0f / c0.dot(n12);
    x[i] = r.dot(n12) * inverse;
    x[i + n] = c0.dot(r.cross(c2)) * inverse;
    x[i + 2 * n] = c0.dot(c1.cross(r)) * inverse;
}

int main()
{
    const int n = 1 << 20;
    std::vector<float> host(n, 1.0f);
    float *x, *y;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    gemm_tiled<float, 16><<<dim3(64, 64), dim3(16, 16)>>>(x, x, y, 1024);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
