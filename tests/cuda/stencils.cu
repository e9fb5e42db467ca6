// Grids and images.

__constant__ float weights[25];

__global__ void heat2d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny,
                       float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x;
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 4 * in[i]);
}

// The same by way of shared memory, with a halo of one.
template <int BX, int BY>
__global__ void heat2d_tile(const float *in, float *out, int nx, int ny, float k)
{
    __shared__ float s[BY + 2][BX + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty, pitch = nx + 2;
    s[ty][tx] = in[y * pitch + x];
    if (tx == 1)
        s[ty][0] = in[y * pitch + x - 1];
    if (tx == BX)
        s[ty][BX + 1] = in[y * pitch + x + 1];
    if (ty == 1)
        s[0][tx] = in[(y - 1) * pitch + x];
    if (ty == BY)
        s[BY + 1][tx] = in[(y + 1) * pitch + x];
    __syncthreads();
    out[y * pitch + x] = s[ty][tx] + k * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] +
                                          s[ty + 1][tx] - 4 * s[ty][tx]);
}

__global__ void nine_point(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1)
        return;
    float sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * nx + x + dx];
    out[y * nx + x] = sum / 9;
}

// Columns of threads march along z, with the planes above and below in registers.
__global__ void march7(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny, i = y * nx + x;
    float below = in[i], here = in[i + plane], above;
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        above = in[i + plane];
        out[i] = 0.4f * here + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                       below + above);
        below = here;
        here = above;
    }
}

// The eighth order in each of three directions.
__global__ void wave25(const float *u, float *next, const float *speed, int nx, int ny, int nz)
{
    const float c[5] = { -2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 4 || y < 4 || z < 4 || x >= nx - 4 || y >= ny - 4 || z >= nz - 4)
        return;
    int sy = nx, sz = nx * ny, i = z * sz + y * sy + x;
    float sum = 3 * c[0] * u[i];
#pragma unroll
    for (int d = 1; d <= 4; d++)
        sum += c[d] * (u[i - d] + u[i + d] + u[i - d * sy] + u[i + d * sy] + u[i - d * sz] +
                       u[i + d * sz]);
    next[i] = 2 * u[i] - next[i] + speed[i] * sum;
}

template <int RADIUS> __global__ void convolve(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - 2 * RADIUS || y >= h - 2 * RADIUS)
        return;
    float sum = 0;
    for (int j = 0; j <= 2 * RADIUS; j++)
        for (int i = 0; i <= 2 * RADIUS; i++)
            sum += weights[j * (2 * RADIUS + 1) + i] * in[(y + j) * w + x + i];
    out[y * w + x] = sum;
}

__device__ inline int clamped(int v, int high)
{
    return max(0, min(v, high));
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    auto at = [=](int dx, int dy) {
        return (int)in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
    };
    int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * w + x] = (unsigned char)min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

__global__ void bilateral(const float *in, float *out, int w, int h, float inverse)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 3;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 3;
    if (x >= w - 3 || y >= h - 3)
        return;
    float centre = in[y * w + x], sum = 0, total = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float v = in[(y + dy) * w + x + dx], d = v - centre;
            float weight = __expf(-(d * d + 0.1f * (dx * dx + dy * dy)) * inverse);
            sum += weight * v;
            total += weight;
        }
    out[y * w + x] = sum / total;
}

__global__ void grey4(const uchar4 *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = in[i];
    out[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__device__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median3(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x + 2 >= w || y + 2 >= h)
        return;
    float v[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        v[i] = in[(y + i / 3) * w + x + i % 3];
#pragma unroll
    for (int pass = 0; pass < 5; pass++)
#pragma unroll
        for (int i = 0; i < 8 - pass; i++)
            order(v[i], v[i + 1]);
    out[y * w + x] = v[4];
}
