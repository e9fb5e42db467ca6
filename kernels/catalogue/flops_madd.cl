/* 32 private variables in two halves, x = v[0..15] and y = v[16..31].  An update turns each
 * pair (x, y) by a small angle: values stay as large as they began, but for integers,
 * which wrap around.  Its operands are two registers and a literal, since three registers
 * can meet in one bank and halve the rate of some GPUs.
 *
 * No update depends on any of the last 15, so that neither latency nor scheduling
 * limits the rate.  The variables start from integers with full mantissas, different in
 * every work-item and lane: nothing folds, and the units toggle as with real data.
 *
 * Variables are vectors of WIDTH, for devices whose compilers fill their units with those
 * rather than with neighbouring work-items.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define IS_float 0
#define IS_double 0
#define IS_int 1
#define IS_half 2
#define PASTE(a, b) a##b
#define IS(type) PASTE(IS_, type)
#define MASK (IS(T) == IS_half ? 0x3ff : 0xffffff)

#define JOIN(a, b) PASTE(a, b)
#if WIDTH == 1
#define V T
#define START_AT(n) (T)(n)
#else
#define OF_WIDTH(type, width) type##width /* not JOIN, as it is expanded within JOIN */
#define VECTOR_OF(type, width) OF_WIDTH(type, width)
#define V VECTOR_OF(T, WIDTH)
#define LANES_2 (V)((T)0, (T)1)
#define LANES_4 (V)((T)0, (T)1, (T)2, (T)3)
#define LANES_8 (V)((T)0, (T)1, (T)2, (T)3, (T)4, (T)5, (T)6, (T)7)
#define LANES_16                                                                         \
    (V)((T)0, (T)1, (T)2, (T)3, (T)4, (T)5, (T)6, (T)7, (T)8, (T)9, (T)10, (T)11, (T)12, \
        (T)13, (T)14, (T)15)
#define START_AT(n) ((V)((T)(n)) + JOIN(LANES_, WIDTH))
#endif

#define ALL_16(DO)                                                                       \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)                                      \
    DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define START(i)                                                                         \
    v[i] = START_AT((l * 2654435 + i * 1013904 + 69069) & MASK);                         \
    v[i + 16] = START_AT((l * 1664525 + i * 2891336 + 12345) & MASK);
#define SUM(i) sum = sum + v[i] + v[i + 16];
#if IS(T) == IS_int
#define FACTOR 1103515245
#elif IS(T) == IS_half
#define FACTOR (T)0.5f /* the product is exact, fused or not */
#else
#define FACTOR (T)0.37f
#endif
#define X(i) v[i] = v[i] + FACTOR * v[i + 16];
#define Y(i) v[i + 16] = v[i + 16] - FACTOR * v[i];
#define TURNS_1 ALL_16(X) ALL_16(Y) ALL_16(X) ALL_16(Y)
#define TURNS_2 TURNS_1 TURNS_1
#define TURNS_4 TURNS_2 TURNS_2
#define TURNS_8 TURNS_4 TURNS_4

T sum_1(T v)
{
    return v;
}
#if WIDTH >= 2
T sum_2(VECTOR_OF(T, 2) v)
{
    return v.x + v.y;
}
#endif
#if WIDTH >= 4
T sum_4(VECTOR_OF(T, 4) v)
{
    return sum_2(v.even + v.odd);
}
#endif
#if WIDTH >= 8
T sum_8(VECTOR_OF(T, 8) v)
{
    return sum_4(v.even + v.odd);
}
#endif
#if WIDTH >= 16
T sum_16(VECTOR_OF(T, 16) v)
{
    return sum_8(v.even + v.odd);
}
#endif

/* With LID_STRIDE_1, a grid of work-items stores to an array of rows of LID_STRIDE_1 elements,
 * LID_STRIDE_0 apart.
 */
#define True 1 /* the values of GROUPS_FIT; False counts as 0 */
#if GROUPS_FIT
#define NELEMENTS
#else
#define NELEMENTS , int nelements
#endif
#ifdef LID_STRIDE_1
#define ITEM (get_local_id(0) + LSIZE_0 * get_local_id(1))
#define ELEMENT (LID_STRIDE_1 * get_global_id(1) + LID_STRIDE_0 * get_global_id(0))
#define OUTSIDE (LID_STRIDE_0 * get_global_id(0) >= LID_STRIDE_1 || ELEMENT >= nelements)
#else
#define ITEM get_local_id(0)
#define ELEMENT get_global_id(0)
#define OUTSIDE (ELEMENT >= nelements)
#endif

__kernel void flops_madd(__global T *result, int m NELEMENTS)
{
    int l = ITEM;
    V v[32], sum = (V)0;

    ALL_16(START)
    for (int it = 0; it < m; ++it) {
        JOIN(TURNS_, UNROLL)
    }
    ALL_16(SUM)
#if !GROUPS_FIT
    if (OUTSIDE)
        return;
#endif
    GPUCAL_TAG(out, result[ELEMENT]) = JOIN(sum_, WIDTH)(sum);
}
