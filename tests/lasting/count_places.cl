__kernel void count_places(__global const int *key, __global int *count, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&count[key[i]]);
}
