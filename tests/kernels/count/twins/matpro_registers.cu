/* kernel: product_registers<float, 64, 8, 4>
 *
 * Registers as an array in a template, indices of the thread as a structure.
 */
struct Place {
    int x, y, l;
};

template <typename T, int Side, int Deep, int Own>
__global__ void product_registers(const T *__restrict__ a, const T *__restrict__ b,
                                  T *__restrict__ c, int n, int deep)
{
    constexpr int step = Side / Own;
    __shared__ T left[Deep][Side], right[Deep][Side];
    const Place at{static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y),
                   static_cast<int>(threadIdx.y * step + threadIdx.x)};
    int col0 = blockIdx.x * Side;
    int row0 = blockIdx.y * Side;
    T sum[Own][Own];

    for (int i = 0; i < Own; i++)
        for (int j = 0; j < Own; j++)
            sum[i][j] = 0;
    for (int k0 = 0; k0 < deep; k0 += Deep) {
        for (int p = 0; p < 2; p++) {
            left[at.l % Deep][at.l / Deep + 32 * p] =
                a[(row0 + at.l / Deep + 32 * p) * deep + k0 + at.l % Deep];
            right[at.l / Side + 4 * p][at.l % Side] =
                b[(k0 + at.l / Side + 4 * p) * n + col0 + at.l % Side];
        }
        __syncthreads();
        for (int k = 0; k < Deep; k++) {
            T u[Own], v[Own];

            for (int i = 0; i < Own; i++) {
                u[i] = left[k][at.y + i * step];
                v[i] = right[k][at.x + i * step];
            }
            for (int i = 0; i < Own; i++)
                for (int j = 0; j < Own; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < Own; i++)
        for (int j = 0; j < Own; j++)
            c[(row0 + at.y + i * step) * n + col0 + at.x + j * step] = sum[i][j];
}
