/* Dependent global loads as in occupancy_local.cl, in as many concurrent work-items as
 * registers allow.  Loaded values are added to LIVE variables in turn: all of them are
 * live during the whole loop, and the work per load does not depend on their number.
 * Loops are unrolled, as only then variables are registers.
 */
#define STRIDE (131072 + 9 * 32)

__kernel void occupancy_registers(__global T *result, __global const T *in0, int n_in0,
                                  int m)
{
    uint place = get_global_id(0);
    T v[LIVE], sum = (T)0;

#pragma unroll
    for (int i = 0; i < LIVE; ++i)
        v[i] = (T)i;
    for (int it = 0; it < m; ++it) {
#pragma unroll
        for (int i = 0; i < LIVE; ++i) {
            T value = in0[place & (uint)(n_in0 - 1)];

            v[i] = v[i] + value;
            place = place + STRIDE + (uint)value;
        }
    }
#pragma unroll
    for (int i = 0; i < LIVE; ++i)
        sum = (T)0.5f * sum + v[i]; /* not the sum of all loaded values */
    result[get_global_id(0)] = sum;
}
