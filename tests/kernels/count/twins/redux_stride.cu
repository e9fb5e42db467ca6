/* kernel: norms
 *
 * Operations as classes, whose objects are given to a template.
 */
struct Largest {
    __device__ float operator()(float a, float b) const
    {
        return fmaxf(a, b);
    }
};

struct Plus {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};

template <typename Op> __device__ inline void join(float *of, int l, int d, const Op &op)
{
    of[l] = op(of[l], of[l + d]);
}

__global__ void norms(const float *x, float *largest, float *squares, int n)
{
    __shared__ float high[128], square[128];
    int l = threadIdx.x;
    float top = 0, sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = x[i];

        top = Largest()(top, fabsf(v));
        sum += v * v;
    }
    high[l] = top;
    square[l] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (l < d) {
            join(high, l, d, Largest());
            join(square, l, d, Plus{});
        }
        __syncthreads();
    }
    if (l == 0) {
        largest[blockIdx.x] = high[0];
        squares[blockIdx.x] = square[0];
    }
}
