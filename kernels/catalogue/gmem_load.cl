/* result = in0 + in1 + ..: stride 1, every element once.  PER_ITEM elements per
 * work-item, the work-group's width apart, thin out the work-groups where launching
 * them would take longer than the memory.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define True 1 /* the values of GROUPS_FIT; False counts as 0 */
#if GROUPS_FIT
#define NELEMENTS
#else
#define NELEMENTS , int nelements
#endif

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)

/* Arrays in1, in2, .. */
#define MORE_1(DO)
#define MORE_2(DO) DO(1)
#define MORE_3(DO) MORE_2(DO) DO(2)
#define MORE_4(DO) MORE_3(DO) DO(3)
#define MORE_5(DO) MORE_4(DO) DO(4)
#define MORE_6(DO) MORE_5(DO) DO(5)
#define MORE_7(DO) MORE_6(DO) DO(6)
#define MORE_8(DO) MORE_7(DO) DO(7)
#define PARAMETER(i) , __global const T *in##i
#define TERM(i) + GPUCAL_TAG(stream, in##i[first + LSIZE_0 * j])

__kernel void gmem_load(__global T *result,
                        __global const T *in0 JOIN(MORE_, N_ARRAYS)(PARAMETER) NELEMENTS)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
#if !GROUPS_FIT
        if (first + LSIZE_0 * j < nelements)
#endif
        GPUCAL_TAG(out, result[first + LSIZE_0 * j]) =
            GPUCAL_TAG(stream, in0[first + LSIZE_0 * j]) JOIN(MORE_, N_ARRAYS)(TERM);
}
