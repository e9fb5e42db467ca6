/* a = b + s c in double, one launch for all sizes: work-items stride by the launch, which
 * may have an offset.
 */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void triad(__global double *restrict a, __global const double *restrict b,
                    __global const double *restrict c, const double s, const ulong n)
{
    const size_t stride = get_num_groups(0) * get_local_size(0);

    for (size_t i = get_global_id(0) - get_global_offset(0); i < n; i += stride)
        a[i] = b[i] + s * c[i];
}
