__kernel void bins_global(__global const uchar *x, __global uint *bin, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&bin[x[i]]);
}
