/* kernel: transpose<float>
 *
 * Defaults of a template's arguments, and a static assertion.
 */
template <typename T, int Tile = 16, int Step = 4>
__global__ void transpose(T *to, const T *from, int cols, int rows)
{
    static_assert(Tile % Step == 0, "each thread has as many rows as others");
    __shared__ T tile[Tile][Tile + 1];
    int lx = threadIdx.x, ly = threadIdx.y;
    int x = blockIdx.x * Tile + lx;
    int y = blockIdx.y * Tile + ly;

    for (int k = 0; k < Tile; k += Step)
        if (x < cols && y + k < rows)
            tile[ly + k][lx] = from[(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * Tile + lx;
    y = blockIdx.x * Tile + ly;
    for (int k = 0; k < Tile; k += Step)
        if (x < rows && y + k < cols)
            to[(y + k) * rows + x] = tile[lx][ly + k];
}
