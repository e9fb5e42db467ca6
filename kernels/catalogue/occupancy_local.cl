/* Dependent global loads, in as many concurrent work-groups as local memory allows: the
 * address of a load depends on the value of the load before, by the integer part of
 * numbers below 1, which is always 0 but unknown to the compiler.
 *
 * A work-group loads adjacent elements, moves on by STRIDE elements and returns late: in0
 * is too large for the cache of a few work-groups, and by default small enough for the
 * shared cache, whose latency is measured.  STRIDE is a multiple of cache lines, but not a
 * power of two: those would map to a few cache sets.
 *
 * Both ends of the local memory are used once, at indices that depend on the id: compilers
 * cannot reduce it.
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
