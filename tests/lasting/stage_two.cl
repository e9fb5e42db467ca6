__kernel void stage_two(__global const float2 *in, __global float2 *out, int n, int half_length)
{
    int i = get_global_id(0), k = i & (half_length - 1), at = (i - k) * 2 + k;
    float c, angle = -3.14159265f * k / half_length, s;

    s = sin(angle);
    c = cos(angle);
    float2 a = in[at], b = in[at + half_length];
    float2 t = (float2)(c * b.x - s * b.y, s * b.x + c * b.y);

    out[at] = a + t;
    out[at + half_length] = a - t;
}
