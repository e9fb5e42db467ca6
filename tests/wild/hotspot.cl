/* Heat on a chip, STEPS time steps in one launch: a work-group loads a tile of
 * TILE x TILE, and in each step what is still right of it shrinks by one on all sides.
 */
#define WITHIN(v, low, high) ((v) >= (low) && (v) <= (high))

__kernel void hotspot(__global const float *power, __global const float *old_temp,
                      __global float *new_temp, int cols, int rows, float gain, float gx,
                      float gy, float gz)
{
    __local float heat[TILE][TILE];
    __local float next[TILE][TILE];
    __local float source[TILE][TILE];

    const float ambient = 80.0f;
    int lx = get_local_id(0), ly = get_local_id(1);

    /* where the tile lies, in part perhaps outside of the grid */
    int inner = TILE - 2 * STEPS;
    int top = inner * get_group_id(1) - STEPS;
    int left = inner * get_group_id(0) - STEPS;
    int y = top + ly, x = left + lx;

    if (WITHIN(y, 0, rows - 1) && WITHIN(x, 0, cols - 1)) {
        heat[ly][lx] = old_temp[cols * y + x];
        source[ly][lx] = power[cols * y + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* of the tile, what lies in the grid */
    int y_low = (top < 0) ? -top : 0;
    int x_low = (left < 0) ? -left : 0;
    int y_high = (top + TILE > rows) ? rows - top - 1 : TILE - 1;
    int x_high = (left + TILE > cols) ? cols - left - 1 : TILE - 1;

    int above = (ly - 1 < y_low) ? y_low : ly - 1;
    int below = (ly + 1 > y_high) ? y_high : ly + 1;
    int before = (lx - 1 < x_low) ? x_low : lx - 1;
    int behind = (lx + 1 > x_high) ? x_high : lx + 1;

    bool mine;
    for (int t = 0; t < STEPS; t++) {
        mine = false;
        if (WITHIN(lx, t + 1, TILE - t - 2) && WITHIN(ly, t + 1, TILE - t - 2) &&
            WITHIN(lx, x_low, x_high) && WITHIN(ly, y_low, y_high)) {
            float h = heat[ly][lx];
            mine = true;
            next[ly][lx] =
                h + gain * (source[ly][lx] +
                            gy * (heat[below][lx] + heat[above][lx] - 2.0f * h) +
                            gx * (heat[ly][behind] + heat[ly][before] - 2.0f * h) +
                            gz * (ambient - h));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t == STEPS - 1)
            break;
        if (mine)
            heat[ly][lx] = next[ly][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (mine)
        new_temp[cols * y + x] = next[ly][lx];
}
