/* 32 private variables in two halves, x = v[0..15] and y = v[16..31].  Each variable is
 * multiplied by 5/4 and then by 4/5: values stay as large as they began.  Integers are
 * odd, multiply each other and wrap around: two constants would be folded into one.
 *
 * No update depends on any of the last 15, so that neither latency nor scheduling
 * limits the rate.  The variables start from integers with full mantissas, different in
 * every work-item: nothing folds, and the units toggle as with real data.
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

#define ALL_16(DO)                                                                       \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)                                      \
    DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define START(i)                                                                         \
    v[i] = (T)(((l * 2654435 + i * 1013904 + 69069) & MASK) | 1);                        \
    v[i + 16] = (T)(((l * 1664525 + i * 2891336 + 12345) & MASK) | 1);
#define SUM(i) sum = sum + v[i] + v[i + 16];
#if IS(T) == IS_int
#define FIRST(i) v[i] = v[i] * v[i + 16];
#define SECOND(i) v[i + 16] = v[i + 16] * v[i];
#define STEPS ALL_16(FIRST) ALL_16(SECOND) ALL_16(FIRST) ALL_16(SECOND)
#else
#define GROW(i) v[i] = v[i] * (T)1.25f; v[i + 16] = v[i + 16] * (T)1.25f;
#define SHRINK(i) v[i] = v[i] * (T)0.8f; v[i + 16] = v[i + 16] * (T)0.8f;
#define STEPS ALL_16(GROW) ALL_16(SHRINK)
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

__kernel void flops_mul(__global T *result, int m NELEMENTS)
{
    int l = ITEM;
    T v[32], sum = (T)0;

    ALL_16(START)
    for (int it = 0; it < m; ++it) {
        STEPS
    }
    ALL_16(SUM)
#if !GROUPS_FIT
    if (OUTSIDE)
        return;
#endif
    GPUCAL_TAG(out, result[ELEMENT]) = sum;
}
