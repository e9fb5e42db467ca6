/* Sums: each work-item its share by strides of the whole launch, then a tree in local
 * memory; one result a work-group.
 */
__kernel void reduce(__global const float *x, __global float *partial, unsigned int n)
{
    __local float share[LSIZE];
    unsigned int lid = get_local_id(0);
    unsigned int i = get_global_id(0);
    unsigned int s;

    share[lid] = 0;
    while (i < n) {
        share[lid] += x[i];
        i += get_global_size(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lid < s)
            share[lid] += share[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (lid == 0)
        partial[get_group_id(0)] = share[0];
}
