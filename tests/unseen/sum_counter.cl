/* Strides of all work-items, so that neighbours read neighbours. */
__kernel void sum_counter(__global const int *x, __global int *total, int each)
{
    __local int part;
    int sum = 0;

    if (get_local_id(0) == 0)
        part = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < each; k++)
        sum += x[k * get_global_size(0) + get_global_id(0)] & 15;
    atomic_add(&part, sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(total, part);
}
