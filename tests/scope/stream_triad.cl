__kernel void stream_triad(__global const float4 *b, __global const float4 *c, __global float4 *a,
                           float s, int quads)
{
    int i = get_global_id(0);

    if (i < quads)
        a[i] = fma((float4)(s), c[i], b[i]);
}
