/* Points (x, y, z) packed without padding, turned by a 3 x 3 matrix; and pairs of them
 * weighted by vloadn and vstoren of four.
 */
__kernel void turn_points(__global const float *in, __global float *out,
                          __constant float *m, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;

    float3 p = vload3(i, in);
    float3 q;
    q.x = dot(vload3(0, m), p);
    q.y = dot(vload3(1, m), p);
    q.z = dot(vload3(2, m), p);
    vstore3(q, i, out);
}

__kernel void blend(__global const uchar *a, __global const uchar *b, __global uchar *c,
                    float alpha)
{
    size_t i = get_global_id(0);
    float4 p = convert_float4(vload4(i, a));
    float4 q = convert_float4(vload4(i, b));

    vstore4(convert_uchar4(mix(p, q, alpha)), i, c);
}
