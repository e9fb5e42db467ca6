/* kernel: reduce<float, LSIZE>
 *
 * A value type and the size of a block as arguments of a template, a pointer to shared memory.
 */
template <typename T, unsigned Threads>
__global__ void reduce(const T *x, T *partial, unsigned int n)
{
    __shared__ T share[Threads];
    T *const mine = share + threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    *mine = 0;
    while (i < n) {
        *mine += x[i];
        i += gridDim.x * blockDim.x;
    }
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            *mine += mine[s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = share[0];
}
