#define TILE 16

/* Products of queries and keys of one head for each layer of groups, and a mask above the
 * diagonal. */
__kernel void attend_scores(__global const float *query, __global const float *key,
                            __global float *score, int tokens, int width, float scale)
{
    __local float q[TILE][TILE], k[TILE][TILE + 1];
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int col = get_global_id(0);
    int row = get_global_id(1);
    int head = get_global_id(2);
    int k0 = get_group_id(0) * TILE;
    float sum = 0.0f;

    for (int w = 0; w < width; w += TILE) {
        q[ly][lx] = query[(head * tokens + row) * width + w + lx];
        k[ly][lx] = key[(head * tokens + k0 + ly) * width + w + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += q[ly][i] * k[lx][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    score[(head * tokens + row) * tokens + col] = col <= row ? sum * scale : -1.0e30f;
}
