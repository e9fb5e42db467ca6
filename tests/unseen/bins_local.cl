/* As a radix sort counts. */
__kernel void bins_local(__global const uint *x, __global uint *bin, int shift, int each)
{
    __local uint count[16];
    int l = get_local_id(0);
    int base = get_group_id(0) * 128 * each;

    if (l < 16)
        count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < each; k++)
        atomic_inc(&count[(x[base + k * 128 + l] >> shift) & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        bin[l * get_num_groups(0) + get_group_id(0)] = count[l];
}
