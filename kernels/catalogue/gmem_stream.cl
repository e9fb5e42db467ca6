/* Arrays from end to end, stride 1, every element once: PER_ITEM vectors of WIDTH
 * elements per work-item, the work-group's width apart.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define PASTE(a, b) a##b
#define VECTOR(type, width) PASTE(type, width)
#if WIDTH == 1
#define V T
#else
#define V VECTOR(T, WIDTH)
#endif

/* With 'restrict', loads may go before stores of the iteration before. */
#define plain

__kernel void gmem_copy(__global V *POINTER result, __global const V *POINTER in0)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
        GPUCAL_TAG(out, result[first + LSIZE_0 * j]) =
            GPUCAL_TAG(stream, in0[first + LSIZE_0 * j]);
}

__kernel void gmem_triad(__global V *POINTER result, __global const V *POINTER in0,
                         __global const V *POINTER in1, T factor)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
        GPUCAL_TAG(out, result[first + LSIZE_0 * j]) =
            GPUCAL_TAG(stream, in0[first + LSIZE_0 * j]) +
            factor * GPUCAL_TAG(stream, in1[first + LSIZE_0 * j]);
}
