/* kernel: sort_block<unsigned, 16>
 *
 * What is sorted is given by references to shared memory.
 */
template <typename T> __device__ void put_in_order(T &low, T &high, bool ascending)
{
    T a = low, b = high;

    if ((a > b) == ascending) {
        low = b;
        high = a;
    }
}

template <typename T, unsigned Threads> __global__ void sort_block(T *to, T *from)
{
    constexpr unsigned keys = 2 * Threads;
    __shared__ T key[keys];
    const unsigned l = threadIdx.x;

    from += blockIdx.x * keys + l;
    to += blockIdx.x * keys + l;
    key[l] = from[0];
    key[l + Threads] = from[Threads];
    for (unsigned run = 1; run < keys; run <<= 1)
        for (unsigned distance = run; distance > 0; distance >>= 1) {
            unsigned low = 2 * l - (l & (distance - 1));

            __syncthreads();
            put_in_order(key[low], key[low + distance], run == Threads || (l & run) == 0);
        }
    __syncthreads();
    to[0] = key[l];
    to[Threads] = key[l + Threads];
}
