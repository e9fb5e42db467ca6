/* Rounds of LOADS independent loads, by any number of work-groups.  The loop is of one of four
 * kinds, which differ in how many rounds a compiler may have in flight:
 *
 *   bounded   a step known when the kernel is compiled, so that it can be unrolled
 *   working   the same with more operations than compilers unroll as far
 *   grid      a step of the global size, which is known at run time only
 *   storing   a store in each round, which may change what is loaded next
 *
 * Neighbours load adjacent elements, and every element is loaded once.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)
#define IS_bounded  0
#define IS_grid     1
#define IS_storing  2
#define IS_working  3
#define IS(kind)    JOIN(IS_, kind)

/* Arrays in1, in2, .. */
#define MORE_1(DO)
#define MORE_2(DO)   DO(1)
#define MORE_4(DO)   MORE_2(DO) DO(2) DO(3)
#define MORE_8(DO)   MORE_4(DO) DO(4) DO(5) DO(6) DO(7)
#define PARAMETER(i) , __global float *in##i
#define TERM(i)      +GPUCAL_TAG(round, in##i[at])
#define ALL          (GPUCAL_TAG(round, in0[at]) JOIN(MORE_, LOADS)(TERM))

__kernel void gmem_rounds(__global float *result, int m,
                          __global float *in0 JOIN(MORE_, LOADS)(PARAMETER))
{
    float sum = 0.0f;

#if IS(KIND) == IS_grid
    int n = m * (int)get_global_size(0);

    for (int at = get_global_id(0); at < n; at += get_global_size(0))
        sum = sum + ALL;
#else
    int first = LSIZE_0 * m * get_group_id(0);

    for (int at = first + get_local_id(0); at < first + LSIZE_0 * m; at += LSIZE_0) {
#if IS(KIND) == IS_working
        float x = ALL;

        for (int i = 0; i < 8; ++i)
            x = 0.5f * x * x + 0.25f;
        sum = sum + x;
#else
        sum = sum + ALL;
#endif
#if IS(KIND) == IS_storing
        GPUCAL_TAG(out, result[at]) = sum;
#endif
    }
#endif
#if IS(KIND) != IS_storing
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
#endif
}
