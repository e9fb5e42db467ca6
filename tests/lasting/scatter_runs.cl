__kernel void scatter_runs(__global const int *start, __global const float *x,
                           __global float *out, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[start[i / 64] + i % 64] = 2 * x[i];
}
