/* Outer products in registers: each work-item keeps R x R results in private variables,
 * and 2 R loads serve R x R steps, without a barrier.  Registers limit the number of
 * work-groups, so that little latency is hidden.  A column of work-groups reads the same
 * block of 'in0', a row the same block of 'in1'.
 */
#define START_madd (T)0
#define START_min_plus (T)HUGE_VALF
#define STEP_madd(sum, x, y) ((sum) + (x) * (y))
#define STEP_min_plus(least, x, y) min(least, (x) + (y))
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

__kernel void mix_registers(__global T *result, __global const T *in0,
                            __global const T *in1, int n, int steps)
{
    int l = get_local_id(0);
    int gx = get_group_id(0);
    int gy = get_group_id(1);
    T acc[R][R];

    for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j)
            acc[i][j] = JOIN(START_, STEP);
    for (int k = 0; k < steps; ++k) {
        T x[R], y[R];

        for (int i = 0; i < R; ++i)
            x[i] = GPUCAL_TAG(mixRegisters, in0[64 * (R * (n * k + gx) + i) + l]);
        for (int j = 0; j < R; ++j)
            y[j] = GPUCAL_TAG(mixRegisters, in1[64 * (R * (n * k + gy) + j) + l]);
        for (int i = 0; i < R; ++i)
            for (int j = 0; j < R; ++j)
                acc[i][j] = JOIN(STEP_, STEP)(acc[i][j], x[i], y[j]);
    }
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j)
            GPUCAL_TAG(out, result[64 * (R * (R * (n * gy + gx) + i) + j) + l]) =
                acc[i][j];
}
