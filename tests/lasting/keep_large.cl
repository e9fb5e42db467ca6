__kernel void keep_large(__global const float *x, __global int *n_kept, __global float *kept,
                         int n, float limit)
{
    int i = get_global_id(0);

    if (i < n && x[i] > limit)
        kept[atomic_inc(n_kept)] = x[i];
}
