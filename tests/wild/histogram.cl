/* 256 bins: each work-group counts in local memory, then adds that to global memory. */
#define BINS 256

__kernel void histogram256(__global const uchar *data, uint n, __global uint *histogram)
{
    __local uint tmp[BINS];
    const uint lid = get_local_id(0);
    const uint lsize = get_local_size(0);

    for (uint b = lid; b < BINS; b += lsize)
        tmp[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&tmp[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint b = lid; b < BINS; b += lsize)
        atomic_add(&histogram[b], tmp[b]);
}
