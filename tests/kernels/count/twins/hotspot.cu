/* kernel: hotspot<TILE, STEPS>
 *
 * Clamps and tests by functions that take and give references.
 */
__device__ inline bool within(int v, int low, int high)
{
    return v >= low && v <= high;
}

template <int Tile, int Steps>
__global__ void hotspot(const float *power, const float *old_temp, float *new_temp,
                        int cols, int rows, float gain, float gx, float gy, float gz)
{
    __shared__ float heat[Tile][Tile], next[Tile][Tile], source[Tile][Tile];
    constexpr float ambient = 80.0f;
    constexpr int inner = Tile - 2 * Steps;
    int lx = threadIdx.x, ly = threadIdx.y;
    int top = inner * blockIdx.y - Steps;
    int left = inner * blockIdx.x - Steps;
    int y = top + ly, x = left + lx;

    if (within(y, 0, rows - 1) && within(x, 0, cols - 1)) {
        heat[ly][lx] = old_temp[cols * y + x];
        source[ly][lx] = power[cols * y + x];
    }
    __syncthreads();

    int y_low = (top < 0) ? -top : 0;
    int x_low = (left < 0) ? -left : 0;
    int y_high = (top + Tile > rows) ? rows - top - 1 : Tile - 1;
    int x_high = (left + Tile > cols) ? cols - left - 1 : Tile - 1;
    int above = (ly - 1 < y_low) ? y_low : ly - 1;
    int below = (ly + 1 > y_high) ? y_high : ly + 1;
    int before = (lx - 1 < x_low) ? x_low : lx - 1;
    int behind = (lx + 1 > x_high) ? x_high : lx + 1;

    bool mine;
    for (int t = 0; t < Steps; t++) {
        mine = false;
        if (within(lx, t + 1, Tile - t - 2) && within(ly, t + 1, Tile - t - 2) &&
            within(lx, x_low, x_high) && within(ly, y_low, y_high)) {
            const float h = heat[ly][lx];
            mine = true;
            next[ly][lx] = h + gain * (source[ly][lx] +
                                       gy * (heat[below][lx] + heat[above][lx] - 2.0f * h) +
                                       gx * (heat[ly][behind] + heat[ly][before] - 2.0f * h) +
                                       gz * (ambient - h));
        }
        __syncthreads();
        if (t == Steps - 1)
            break;
        if (mine)
            heat[ly][lx] = next[ly][lx];
        __syncthreads();
    }
    if (mine)
        new_temp[cols * y + x] = next[ly][lx];
}
