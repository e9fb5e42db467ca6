/* Maximum and its place: two loads a work-item at the start, the tree unrolled by macros
 * in the manner of templates.
 */
#define STEP(s)                                                                          \
    if (LSIZE >= 2 * (s)) {                                                              \
        if (lid < (s)) {                                                                 \
            float other = best[lid + (s)];                                               \
            if (other > best[lid]) {                                                     \
                best[lid] = other;                                                       \
                where[lid] = where[lid + (s)];                                           \
            }                                                                            \
        }                                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                    \
    }

__kernel __attribute__((reqd_work_group_size(LSIZE, 1, 1)))
void argmax(__global const float *x, __global float *group_best,
            __global int *group_where)
{
    __local float best[LSIZE];
    __local int where[LSIZE];
    const int lid = get_local_id(0);
    const int first = get_group_id(0) * (LSIZE * 2) + lid;
    const float a = x[first], b = x[first + LSIZE];

    best[lid] = fmax(a, b);
    where[lid] = b > a ? first + LSIZE : first;
    barrier(CLK_LOCAL_MEM_FENCE);

    STEP(128)
    STEP(64)
    STEP(32)
    STEP(16)
    STEP(8)
    STEP(4)
    STEP(2)
    STEP(1)

    if (!lid) {
        group_best[get_group_id(0)] = best[0];
        group_where[get_group_id(0)] = where[0];
    }
}
