#define TILE 256
#define STEPS 8
#define OWN (TILE - 2 * STEPS)

/* Eight steps in local memory: at each side of a tile, one more point is lost in each. */
__kernel void rod_eight(__global const float *old, __global float *new, int n)
{
    __local float line[2][TILE];
    int l = get_local_id(0);
    int x = (int)get_group_id(0) * OWN + l - STEPS;
    float mine = x >= 0 && x < n ? old[x] : 0.0f;

    line[0][l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < STEPS; s++) {
        if (l > 0 && l < TILE - 1)
            mine = 0.5f * line[s % 2][l] + 0.25f * (line[s % 2][l - 1] + line[s % 2][l + 1]);
        line[(s + 1) % 2][l] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l >= STEPS && l < TILE - STEPS && x < n)
        new[x] = mine;
}
