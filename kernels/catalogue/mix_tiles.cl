/* In each iteration a work-group fetches 512 elements into local memory, and each
 * work-item loads M of them for M multiply-adds, between two barriers: only other
 * work-groups can hide the latency of the next fetch.  Four chains, as in mix_stream.cl.
 *
 * REUSE successive work-groups read the same strip of tiles: one of them from memory, the
 * others, which run at the same time, mostly from a cache, as in a product of matrices.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define AS(tag, place) GPUCAL_TAG(tag, place)
#define FETCHED(place) AS(JOIN(mixTiles, REUSE), place)
#define START(c) (T)((l * 2654435 + c * 1013904 + 69069) & 0xffff)
#define ADD(v, j) v = v * (T)0.37f + tile[l + (j)];

__kernel void mix_tiles(__global T *result, __global const T *in0, int steps)
{
    __local T tile[512];
    int l = get_local_id(0);
    T v0 = START(0), v1 = START(1), v2 = START(2), v3 = START(3);

    for (int k = 0; k < steps; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] = FETCHED(in0[512 * (steps * get_group_id(1) + k) + l]);
        tile[l + 256] = FETCHED(in0[512 * (steps * get_group_id(1) + k) + l + 256]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < M; j += 4) {
            ADD(v0, j) ADD(v1, j + 1) ADD(v2, j + 2) ADD(v3, j + 3)
        }
    }
    GPUCAL_TAG(out, result[256 * (REUSE * get_group_id(1) + get_group_id(0)) + l]) =
        v0 + v1 + v2 + v3;
}
