// Particles, fluids, finance, graphs, hashes.

// Positions of a block at a time in shared memory.
template <int BLOCK> __global__ void nbody(const float4 *bodies, float4 *forces, int n)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = bodies[i];
    float3 f = make_float3(0, 0, 0);
    for (int from = 0; from < n; from += BLOCK) {
        tile[threadIdx.x] = bodies[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
            float inverse = rsqrtf(r2), s = tile[j].w * inverse * inverse * inverse;
            f.x += s * dx;
            f.y += s * dy;
            f.z += s * dz;
        }
        __syncthreads();
    }
    forces[i] = make_float4(f.x, f.y, f.z, 0);
}

__device__ float normal_below(float d)
{
    return 0.5f * erfcf(-0.70710678f * d);
}

__global__ void black_scholes(const float *price, const float *strike, const float *years,
                              float *call, float *put, float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i] + 1.0f, x = strike[i] + 1.0f, t = years[i] + 0.1f, root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) /
               (volatility * root);
    float d2 = d1 - volatility * root, discount = x * expf(-rate * t);
    float c = s * normal_below(d1) - discount * normal_below(d2);
    call[i] = c;
    put[i] = c + discount - s;
}

// Nine directions of a lattice: collide, and stream to the neighbours.
__global__ void lattice9(const float *__restrict__ f, float *__restrict__ g, int nx, int ny,
                         float omega)
{
    const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const float w[9] = { 4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                         1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36 };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        v[q] = f[(q * ny + y) * nx + x];
        rho += v[q];
        ux += cx[q] * v[q];
        uy += cy[q] * v[q];
    }
    ux /= rho;
    uy /= rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float cu = 3 * (cx[q] * ux + cy[q] * uy);
        float equal = w[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        g[(q * ny + y + cy[q]) * nx + x + cx[q]] = v[q] + omega * (equal - v[q]);
    }
}

struct Xorshift {
    unsigned state;
    __device__ explicit Xorshift(unsigned seed) : state(seed * 2654435761u + 1u) {}
    __device__ float operator()()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return (state >> 8) * (1.0f / 16777216.0f);
    }
};

__global__ void monte_carlo(unsigned *hits, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Xorshift random(i);
    unsigned n = 0;
    for (int r = 0; r < rounds; r++) {
        float x = random(), y = random();
        n += x * x + y * y < 1.0f;
    }
    hits[i] = n;
}

// Products of distances, (min, +): each element by a thread.
__global__ void min_plus(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float least = 1e30f;
    for (int k = 0; k < n; k++)
        least = fminf(least, a[i * n + k] + b[k * n + j]);
    c[i * n + j] = least;
}

template <int T> __global__ void min_plus_tile(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * T + y, j = blockIdx.x * T + x;
    float least = 1e30f;
    for (int from = 0; from < n; from += T) {
        as[y][x] = a[i * n + from + x];
        bs[y][x] = b[(from + y) * n + j];
        __syncthreads();
        for (int k = 0; k < T; k++)
            least = fminf(least, as[y][k] + bs[k][x]);
        __syncthreads();
    }
    c[i * n + j] = least;
}

// Rows of WIDTH entries, stored by columns (ELLPACK).
template <typename T, int WIDTH>
__global__ void spmv_ell(const T *values, const int *columns, const T *x, T *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    T sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += values[k * rows + row] * x[columns[k * rows + row]];
    y[row] = sum;
}

// Derivatives of elements with N nodes by a small matrix, as in discontinuous Galerkin methods.
template <int N>
__global__ void differentiate(const float *__restrict__ d, const float *__restrict__ u,
                              float *__restrict__ du, int elements)
{
    __shared__ float s[4][N];
    int node = threadIdx.x, local = threadIdx.y, e = blockIdx.x * 4 + local;
    if (e < elements)
        s[local][node] = u[e * N + node];
    __syncthreads();
    if (e >= elements)
        return;
    float sum = 0;
    for (int m = 0; m < N; m++)
        sum += d[m * N + node] * s[local][m];
    du[e * N + node] = sum;
}

__device__ __forceinline__ unsigned rotated(unsigned v, int bits)
{
    return __funnelshift_l(v, v, bits);
}

// Rounds as a block hash has them.
__global__ void mix_rounds(const unsigned *in, unsigned *out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = in[i], b = a ^ 0x9e3779b9u, c = a + 0x7f4a7c15u, d = ~a;
    for (int r = 0; r < rounds; r++) {
        a += b;
        d = rotated(d ^ a, 16);
        c += d;
        b = rotated(b ^ c, 12);
        a += b;
        d = rotated(d ^ a, 8);
        c += d;
        b = rotated(b ^ c, 7);
    }
    out[i] = a ^ b ^ c ^ d;
}

__global__ void gather(const float *table, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}
