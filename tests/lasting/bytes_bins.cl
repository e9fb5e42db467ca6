__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bytes_bins(__global const uchar *text, __global int *bins, int n)
{
    __local int own[256];
    int l = get_local_id(0);

    own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[text[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], own[l]);
}
