__kernel void scatter_words(__global const int *at, __global int *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[at[i]] = at[i] ^ 0x55;
}
