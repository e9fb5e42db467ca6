/* Global loads that wait for each other, in as many work-groups at once as local memory
 * has room for: where a load goes depends on what the one before brought.  It does so by
 * the integer part of numbers below 1, so that only the compiler does not know where.
 *
 * A work-group loads neighbours, goes on STRIDE elements and comes back late: in0 is too
 * large for the cache of a few work-groups and, as it is by default, small enough for the
 * one that all share.  Waiting is for that one then, whatever else changes.  STRIDE is a
 * number of whole cache lines and no power of two, which would meet in a few cache sets.
 *
 * Of the local memory both ends are used, once, at places that depend on the id: no
 * compiler can do with less of it.
 */
#define STRIDE (131072 + 9 * 32)

__kernel void occupancy_local(__global float *result, __global const float *in0,
                              int n_in0, int m)
{
    __local float space[N_SPACE];
    int l = get_local_id(0);
    uint place = get_global_id(0);
    float sum = 0.0f;

    for (int it = 0; it < m; ++it)
        for (int k = 0; k < 8; ++k) {
            float value = in0[place & (uint)(n_in0 - 1)];

            sum = sum + value;
            place = place + STRIDE + (uint)value;
        }
    space[l] = sum;
    space[N_SPACE - 1 - l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    result[get_global_id(0)] = space[LSIZE_0 - 1 - l] + space[N_SPACE - LSIZE_0 + l];
}
