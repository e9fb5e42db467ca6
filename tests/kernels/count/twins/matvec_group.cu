/* kernel: matvec_group<float>
 *
 * A function of a template for the tree, given the operation as a lambda.
 */
template <typename T, typename Op> __device__ void reduce(T *work, Op op)
{
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride)
            op(work[threadIdx.x], work[threadIdx.x + stride]);
    }
}

template <typename T>
__global__ void matvec_group(const T *A, const T *x, T *y, unsigned rows, unsigned cols)
{
    extern __shared__ T work[];

    for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
        const T *line = A + row * cols;
        T sum = 0;

        for (unsigned c = threadIdx.x; c < cols; c += blockDim.x)
            sum += line[c] * x[c];
        work[threadIdx.x] = sum;
        reduce(work, [](T &to, const T &from) { to += from; });
        if (threadIdx.x == 0)
            y[row] = work[0];
        __syncthreads();
    }
}
