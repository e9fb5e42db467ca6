/* result[own] = in0[pattern] + in1[pattern] + .. (Stevens and Kloeckner 2020, section
 * 7.1.2): the pattern has any strides between neighbours of a work-group and between
 * work-groups; own elements lie in rows as wide as the NDRange.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
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
#define plain 0
#define read_only 1
#if POINTER == read_only
#define IN(i) __global const T *restrict in##i
#else
#define IN(i) __global T *in##i
#endif
#define PARAMETER(i) , IN(i)
#define TERM(i) + GPUCAL_TAG(pattern, in##i[pattern])

__kernel void gmem_strided(__global T *result, IN(0) JOIN(MORE_, N_ARRAYS)(PARAMETER))
{
    size_t pattern = LID_STRIDE_0 * get_local_id(0) + LID_STRIDE_1 * get_local_id(1) +
                     GID_STRIDE_0 * get_group_id(0) + GID_STRIDE_1 * get_group_id(1);
    size_t own = get_global_id(1) * get_global_size(0) + get_global_id(0);

    GPUCAL_TAG(out, result[own]) =
        GPUCAL_TAG(pattern, in0[pattern]) JOIN(MORE_, N_ARRAYS)(TERM);
}
