__kernel void scatter_buckets(__global const int *place, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[place[i]] = (uint)place[i] * 3u;
}
