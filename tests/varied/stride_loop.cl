__kernel void stride_loop(__global const float *a, __global float *b, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        b[i] = 2.0f * a[i] + 1.0f;
}
