/* result = in0 + in1 + ..: stride 1, every element once.  PER_ITEM elements per
 * work-item, the work-group's width apart, thin out the work-groups where launching
 * them would take longer than the memory.
 */
__kernel void gmem_load(__global T *result, __global const T *in0
#if N_ARRAYS > 1
                        , __global const T *in1
#endif
#if N_ARRAYS > 2
                        , __global const T *in2
#endif
#if N_ARRAYS > 3
                        , __global const T *in3
#endif
)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
        result[first + LSIZE_0 * j] = GPUCAL_TAG(stream, in0[first + LSIZE_0 * j])
#if N_ARRAYS > 1
            + GPUCAL_TAG(stream, in1[first + LSIZE_0 * j])
#endif
#if N_ARRAYS > 2
            + GPUCAL_TAG(stream, in2[first + LSIZE_0 * j])
#endif
#if N_ARRAYS > 3
            + GPUCAL_TAG(stream, in3[first + LSIZE_0 * j])
#endif
            ;
}
