/* kernel: scan_blelloch
 *
 * Shared memory that the launch gives; places in it by a lambda.
 */
__global__ void scan_blelloch(const int *in, int *out, int *totals)
{
    extern __shared__ int tree[];
    constexpr int block = 2 * LSIZE;
    const int l = threadIdx.x;
    const int base = blockIdx.x * block;
    auto pad = [](int i) { return i + (i >> 5); };
    int reach = 1;

    tree[pad(l)] = in[base + l];
    tree[pad(l + LSIZE)] = in[base + l + LSIZE];
    for (int active = LSIZE; active > 0; active >>= 1) {
        __syncthreads();
        if (l < active) {
            int right = reach * (2 * l + 2) - 1;
            tree[pad(right)] += tree[pad(right - reach)];
        }
        reach *= 2;
    }
    if (l == 0) {
        totals[blockIdx.x] = tree[pad(block - 1)];
        tree[pad(block - 1)] = 0;
    }
    for (int active = 1; active < block; active *= 2) {
        reach >>= 1;
        __syncthreads();
        if (l < active) {
            int right = reach * (2 * l + 2) - 1;
            int sum = tree[pad(right - reach)];
            tree[pad(right - reach)] = tree[pad(right)];
            tree[pad(right)] += sum;
        }
    }
    __syncthreads();
    out[base + l] = tree[pad(l)];
    out[base + l + LSIZE] = tree[pad(l + LSIZE)];
}
