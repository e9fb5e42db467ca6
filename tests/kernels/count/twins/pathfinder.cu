/* kernel: pathfinder<WIDTH, GHOST>
 *
 * A template and a macro.
 */
#define SMALLER(a, b) ((a) <= (b) ? (a) : (b))

template <int Width, int Ghost>
__global__ void pathfinder(int steps, const int *wall, const int *cost, int *new_cost,
                           int cols, int first)
{
    __shared__ int now[Width], then[Width];
    int l = threadIdx.x;
    int left = (Width - 2 * Ghost) * blockIdx.x - Ghost;
    int x = left + l;
    bool inside = x >= 0 && x < cols;
    int low = (left < 0) ? -left : 0;
    int high = (left + Width > cols) ? cols - left - 1 : Width - 1;
    int before = (l - 1 < low) ? low : l - 1;
    int behind = (l + 1 > high) ? high : l + 1;

    if (inside)
        now[l] = cost[x];
    __syncthreads();

    bool mine;
    for (int t = 0; t < steps; t++) {
        mine = false;
        if (l > t && l < Width - t - 1 && inside) {
            int best = SMALLER(now[before], now[l]);
            best = SMALLER(best, now[behind]);
            then[l] = best + wall[cols * (first + t) + x];
            mine = true;
        }
        __syncthreads();
        if (t == steps - 1)
            break;
        if (mine)
            now[l] = then[l];
        __syncthreads();
    }
    if (mine)
        new_cost[x] = then[l];
}
