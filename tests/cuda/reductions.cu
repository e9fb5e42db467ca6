// Reductions and what works like them.

// As lectures begin: neighbours first, with half of the threads of a warp idle.
template <typename T> __global__ void sum_interleaved(const T *in, T *out, int n)
{
    extern __shared__ unsigned char memory[];
    T *s = reinterpret_cast<T *>(memory);
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

template <int BLOCK> __global__ void sum_sequential(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * (2 * BLOCK) + t;
    s[t] = (i < n ? in[i] : 0.0f) + (i + BLOCK < n ? in[i + BLOCK] : 0.0f);
    __syncthreads();
#pragma unroll
    for (int step = BLOCK / 2; step > 0; step >>= 1) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__inline__ __device__ float sum_of_warp(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__inline__ __device__ float sum_of_block(float v)
{
    static __shared__ float parts[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = sum_of_warp(v);
    if (lane == 0)
        parts[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? parts[lane] : 0.0f;
    return warp == 0 ? sum_of_warp(v) : 0.0f;
}

__global__ void dot_atomic(const float *x, const float *y, float *result, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        atomicAdd(result, sum);
}

// A block for each row.
__global__ void softmax_rows(const float *in, float *out, int cols)
{
    __shared__ float shared;
    const float *row = in + blockIdx.x * cols;
    float *to = out + blockIdx.x * cols;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += __expf(row[c]);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        shared = sum;
    __syncthreads();
    float scale = 1.0f / shared;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        to[c] = __expf(row[c]) * scale;
}

struct Moments {
    float sum, square;
    __device__ void add(float v)
    {
        sum += v;
        square += v * v;
    }
};

// A warp for each row.
__global__ void norm_rows(const float *in, const float *gain, float *out, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    Moments m = { 0.0f, 0.0f };
    for (int c = lane; c < cols; c += 32)
        m.add(in[row * cols + c]);
    float mean = sum_of_warp(m.sum) / cols;
    float scale = rsqrtf(sum_of_warp(m.square) / cols - mean * mean + 1e-5f);
    for (int c = lane; c < cols; c += 32)
        out[row * cols + c] = (in[row * cols + c] - mean) * scale * gain[c];
}

template <int BLOCK> __global__ void scan_blocks(const int *in, int *out, int n)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        s[1 - from][t] = t >= step ? s[from][t] + s[from][t - step] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
}

__global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// One step of a bitonic sorting network.
__global__ void bitonic_step(unsigned *keys, int j, int k, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i || i >= n)
        return;
    unsigned a = keys[i], b = keys[other];
    bool up = (i & k) == 0;
    keys[i] = up ? min(a, b) : max(a, b);
    keys[other] = up ? max(a, b) : min(a, b);
}
