/* M multiply-adds in registers for each loaded element, without a barrier: M decides whether
 * memory or arithmetic takes the time (Stevens and Kloeckner 2020, section 7.4).  Four
 * chains, so that few multiply-adds wait for others, each a decaying sum.
 *
 * An array is read once: adjacent work-items read adjacent elements, or each work-item
 * reads its own row.
 */
#define START(c) (T)((l * 2654435 + c * 1013904 + 69069) & 0xffff)
#define ADD(v) v = v * (T)0.37f + x;

__kernel void mix_stream(__global T *result, __global const T *in0, int steps)
{
    int l = get_local_id(0);
    T v0 = START(0), v1 = START(1), v2 = START(2), v3 = START(3);

    for (int k = 0; k < steps; ++k) {
        T x = GPUCAL_TAG(mixStream, in0[256 * (steps * get_group_id(0) + k) + l]);

        for (int j = 0; j < M / 4; ++j) {
            ADD(v0) ADD(v1) ADD(v2) ADD(v3)
        }
        for (int j = 0; j < M % 4; ++j) {
            ADD(v0)
        }
    }
    GPUCAL_TAG(out, result[get_global_id(0)]) = v0 + v1 + v2 + v3;
}

__kernel void mix_columns(__global T *result, __global const T *in0, int steps)
{
    int l = get_local_id(0);
    T v0 = START(0), v1 = START(1), v2 = START(2), v3 = START(3);

    for (int k = 0; k < steps; ++k) {
        T x = GPUCAL_TAG(mixColumns, in0[steps * get_global_id(0) + k]);

        for (int j = 0; j < M / 4; ++j) {
            ADD(v0) ADD(v1) ADD(v2) ADD(v3)
        }
        for (int j = 0; j < M % 4; ++j) {
            ADD(v0)
        }
    }
    GPUCAL_TAG(out, result[get_global_id(0)]) = v0 + v1 + v2 + v3;
}
