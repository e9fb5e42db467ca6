/* kernel: prefix_block<int, 256>
 *
 * An array given to a function as a pointer; what it adds comes back by value.
 */
template <typename T> __device__ T sum_at(const T *data, int from, int l, int d)
{
    T sum = data[from + l];

    if (l >= d)
        sum += data[from + l - d];
    return sum;
}

template <typename T, int Group> __global__ void prefix_block(const T *in, T *out, T *totals, int n)
{
    __shared__ T data[2 * Group];
    int l = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = 0;

    data[l] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < Group; d <<= 1) {
        T sum = sum_at(data, from, l, d);

        from = Group - from;
        data[from + l] = sum;
        __syncthreads();
    }
    if (i < n)
        out[i] = data[from + l];
    if (l == Group - 1)
        totals[blockIdx.x] = data[from + l];
}
