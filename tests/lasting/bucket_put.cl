__kernel void bucket_put(__global const uchar *bucket, __global const int *rank,
                         __global const int *start, __global const uint *key,
                         __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[start[bucket[i]] + rank[i]] = key[i];
}
