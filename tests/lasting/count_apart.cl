__kernel void count_apart(__global const int *row, __global const int *weight, __global int *sum,
                          int stride, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_add(&sum[row[i] * stride], weight[i]);
}
