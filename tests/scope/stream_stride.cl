/* Every 'step'-th element: the fewer of each line are used, the wider the step. */
__kernel void stream_stride(__global const float *in, __global float *out, int n, int step)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = 2.0f * in[i * step] + 1.0f;
}
