/* One global load, m moves in local memory, one global store: m decides which of the two
 * takes the time (Stevens and Kloeckner 2020, section 7.4).  'shift' as in lmem_move.cl.
 */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

__kernel void overlap(__global T *result, __global const T *in0, int shift, int m)
{
    __local T slots[2 * 256];
    int l = get_local_id(0);

    slots[l] = GPUCAL_TAG(stream, in0[get_global_id(0)]);
    for (int it = 0; it < m; ++it)
        slots[l + shift] = slots[l];
    GPUCAL_TAG(out, result[get_global_id(0)]) = slots[l + shift];
}
