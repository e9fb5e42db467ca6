__kernel void kept_behind(__global const uchar *mask, __global const int *place,
                          __global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i < n && mask[i])
        out[place[i]] = x[i];
}
