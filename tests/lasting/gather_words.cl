__kernel void gather_words(__global const int *at, __global const float *table,
                           __global float *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = table[at[i]];
}
