#define TILE 16
#define SPAN (TILE + 4)

__kernel void wave_local(__global const float *now, __global const float *old,
                         __global float *next, int w, int h)
{
    __local float t[SPAN][SPAN];
    int lx = get_local_id(0), ly = get_local_id(1), row = w + 4;
    int x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;

    for (int k = ly * TILE + lx; k < SPAN * SPAN; k += TILE * TILE) {
        int u = min(x0 + k % SPAN, w + 3), v = min(y0 + k / SPAN, h + 3);

        t[k / SPAN][k % SPAN] = now[v * row + u];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = x0 + lx, y = y0 + ly;

    if (x < w && y < h) {
        float c = t[ly + 2][lx + 2];
        float s = 1.333f * (t[ly + 2][lx + 1] + t[ly + 2][lx + 3] + t[ly + 1][lx + 2] +
                            t[ly + 3][lx + 2]) -
                  0.0833f * (t[ly + 2][lx] + t[ly + 2][lx + 4] + t[ly][lx + 2] +
                             t[ly + 4][lx + 2]) -
                  5.0f * c;
        int at = (y + 2) * row + x + 2;

        next[at] = 2.0f * c - old[at] + 0.1f * s;
    }
}
