/* Rounds of a load to local memory and a barrier, in as many concurrent work-groups as local memory
 * allows: a work-item waits for what it loads before the next round.
 *
 * A row of work-groups of the NDRange loads all data, and further rows load it again, by default from
 * the last-level cache.
 *
 * Both ends of the local memory are used, at indices that depend on the id: compilers cannot
 * reduce it.
 */
__kernel void occupancy_rounds(__global float *result, __global const float *in0, int m)
{
    __local float space[N_SPACE];
    int l = get_local_id(0);
    int first = LSIZE_0 * m * get_group_id(0);
    float sum = 0.0f;

    space[l] = 0.0f;
    space[N_SPACE - LSIZE_0 + l] = 0.0f;
    for (int k = 0; k < m; ++k) {
        space[l] = GPUCAL_TAG(round, in0[first + LSIZE_0 * k + l]);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum + space[N_SPACE - 1 - l] + space[LSIZE_0 - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    GPUCAL_TAG(
        out,
        result[LSIZE_0 * (get_num_groups(0) * get_group_id(1) + get_group_id(0)) + l]) =
        sum;
}
