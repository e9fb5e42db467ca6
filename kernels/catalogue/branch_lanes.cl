/* Runs of GRANULARITY work-items take one of PATHS branches in turn, all of the same
 * length: where runs are shorter than sub-groups, a sub-group executes several branches
 * one after the other.  Each branch is a loop with its own constants and a trip count
 * unknown to the compiler, which cannot merge the branches by selecting constants.
 */
#define STEP(x, p) x = x * (T)0.5f + (T)1##p; /* 10, 11, .. 19, 110, .. 131 */
#define PATH(p)                                                                          \
    if (path == p)                                                                       \
        for (int it = 0; it < m; ++it) {                                                 \
            STEP(a, p) STEP(b, p) STEP(c, p) STEP(d, p)                                  \
            STEP(a, p) STEP(b, p) STEP(c, p) STEP(d, p)                                  \
        }

__kernel void branch_lanes(__global T *result, int m)
{
    int i = get_global_id(0);
    int path = i / GRANULARITY % PATHS;
    T a = (T)((i * 7919 + 69069) & 0xfff);
    T b = a + (T)1, c = a + (T)2, d = a + (T)3; /* four chains hide each other's latency */

    PATH(0)
#if PATHS > 1
    PATH(1)
#endif
#if PATHS > 2
    PATH(2) PATH(3)
#endif
#if PATHS > 4
    PATH(4) PATH(5) PATH(6) PATH(7)
#endif
#if PATHS > 8
    PATH(8) PATH(9) PATH(10) PATH(11) PATH(12) PATH(13) PATH(14) PATH(15)
#endif
#if PATHS > 16
    PATH(16) PATH(17) PATH(18) PATH(19) PATH(20) PATH(21) PATH(22) PATH(23)
    PATH(24) PATH(25) PATH(26) PATH(27) PATH(28) PATH(29) PATH(30) PATH(31)
#endif
    result[i] = a + b + c + d;
}
