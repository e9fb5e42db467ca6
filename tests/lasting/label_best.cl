__kernel void label_best(__global const ushort *label, __global const int *value,
                         __global int *best, __global int *where, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    int at = label[i];

    atomic_max(&best[at], value[i]);
    atomic_min(&where[at], i);
}
