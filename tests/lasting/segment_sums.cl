__kernel void segment_sums(__global const int *segment, __global const int *value,
                           __global int *sum, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_add(&sum[segment[i]], value[i]);
}
