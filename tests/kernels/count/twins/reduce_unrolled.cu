/* kernel: argmax<LSIZE>
 *
 * A tree that a template unrolls, whose last steps "if constexpr" leaves out.
 */
template <int Size, int Step>
__device__ __forceinline__ void step(float (&best)[Size], int (&where)[Size], int lid)
{
    if constexpr (Size >= 2 * Step) {
        if (lid < Step) {
            float other = best[lid + Step];
            if (other > best[lid]) {
                best[lid] = other;
                where[lid] = where[lid + Step];
            }
        }
        __syncthreads();
    }
    if constexpr (Step > 1)
        step<Size, Step / 2>(best, where, lid);
}

template <int Size>
__global__ void __launch_bounds__(Size)
    argmax(const float *x, float *group_best, int *group_where)
{
    __shared__ float best[Size];
    __shared__ int where[Size];
    const int lid = threadIdx.x;
    const int first = blockIdx.x * (Size * 2) + lid;
    const float a = x[first], b = x[first + Size];

    best[lid] = fmaxf(a, b);
    where[lid] = b > a ? first + Size : first;
    __syncthreads();
    step<Size, 128>(best, where, lid);
    if (!lid) {
        group_best[blockIdx.x] = best[0];
        group_where[blockIdx.x] = where[0];
    }
}
