/* Cheapest way through a grid, 'steps' rows in a launch: a work-group holds WIDTH
 * columns, and at its sides, the ghost zone, one more of them is wrong after each row.
 */
#define SMALLER(a, b) ((a) <= (b) ? (a) : (b))

__kernel void pathfinder(int steps, __global const int *wall, __global const int *cost,
                         __global int *new_cost, int cols, int first)
{
    __local int now[WIDTH];
    __local int then[WIDTH];
    int l = get_local_id(0);
    int left = (WIDTH - 2 * GHOST) * get_group_id(0) - GHOST;
    int x = left + l;
    bool inside = x >= 0 && x < cols;

    /* neighbours, in the grid and in the tile */
    int low = (left < 0) ? -left : 0;
    int high = (left + WIDTH > cols) ? cols - left - 1 : WIDTH - 1;
    int before = (l - 1 < low) ? low : l - 1;
    int behind = (l + 1 > high) ? high : l + 1;

    if (inside)
        now[l] = cost[x];
    barrier(CLK_LOCAL_MEM_FENCE);

    bool mine;
    for (int t = 0; t < steps; t++) {
        mine = false;
        if (l > t && l < WIDTH - t - 1 && inside) {
            int best = SMALLER(now[before], now[l]);
            best = SMALLER(best, now[behind]);
            then[l] = best + wall[cols * (first + t) + x];
            mine = true;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t == steps - 1)
            break;
        if (mine)
            now[l] = then[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (mine)
        new_cost[x] = then[l];
}
