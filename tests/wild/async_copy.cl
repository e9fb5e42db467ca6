/* A moving average; the runtime copies each tile and its halo. */
#define TILE 32
#define HALO 4

__kernel void moving_average(__global const float *in, __global float *out)
{
    __local float tile[TILE + 2 * HALO];
    const int group = get_group_id(0), l = get_local_id(0);
    event_t copied;

    copied = async_work_group_copy(tile, in + group * TILE, TILE + 2 * HALO, 0);
    wait_group_events(1, &copied);

    float sum = 0.0f;
    for (int k = 0; k <= 2 * HALO; k++)
        sum += tile[l + k];
    out[group * TILE + l] = sum / (2 * HALO + 1);
}
