/* Rounds of LOADS independent loads, by any number of work-groups.  The loop is of one of three
 * kinds, which differ in how many rounds a compiler may have in flight:
 *
 *   counted   a step known when the kernel is compiled, so that it can be unrolled
 *   grid      a step of the global size, which is known at run time only
 *   storing   a store in each round, which may change what is loaded next
 *
 * Work-items load adjacent elements, and every element is loaded once.
 */
#define PASTE(a, b) a##b
#define IS_counted 0
#define IS_grid 1
#define IS_storing 2
#define JOIN(a, b) PASTE(a, b)
#define IS(kind) JOIN(IS_, kind)

#define AT_1(i) GPUCAL_TAG(round, in0[i])
#define AT_2(i) AT_1(i) + GPUCAL_TAG(round, in0[n + (i)])
#define AT_4(i) AT_2(i) + GPUCAL_TAG(round, in0[2 * n + (i)]) + GPUCAL_TAG(round, in0[3 * n + (i)])
#define AT_8(i)                                                                          \
    AT_4(i) + GPUCAL_TAG(round, in0[4 * n + (i)]) + GPUCAL_TAG(round, in0[5 * n + (i)]) + \
        GPUCAL_TAG(round, in0[6 * n + (i)]) + GPUCAL_TAG(round, in0[7 * n + (i)])

__kernel void gmem_rounds(__global float *result, __global float *in0, int n, int m)
{
    float sum = 0.0f;

#if IS(KIND) == IS_grid
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum = sum + (JOIN(AT_, LOADS)(i));
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
#else
    int first = LSIZE_0 * m * get_group_id(0) + get_local_id(0);

    for (int k = 0; k < m; ++k) {
        sum = sum + (JOIN(AT_, LOADS)(first + LSIZE_0 * k));
#if IS(KIND) == IS_storing
        GPUCAL_TAG(out, result[first + LSIZE_0 * k]) = sum;
#endif
    }
#if IS(KIND) == IS_counted
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
#endif
#endif
}
