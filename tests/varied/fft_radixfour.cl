float2 turned(float2 a, float c, float s)
{
    return (float2)(a.x * c - a.y * s, a.x * s + a.y * c);
}

__kernel void fft_four(__global const float2 *in, __global float2 *out, int n, int span)
{
    int i = get_global_id(0), quarter = n / 4;
    int k = i & (span - 1);
    float angle = -1.5707963f * k / span;
    float2 a = in[i];
    float2 b = turned(in[i + quarter], native_cos(angle), native_sin(angle));
    float2 c =
        turned(in[i + 2 * quarter], native_cos(2.0f * angle), native_sin(2.0f * angle));
    float2 d =
        turned(in[i + 3 * quarter], native_cos(3.0f * angle), native_sin(3.0f * angle));
    float2 p = a + c, q = a - c, r = b + d, s = b - d;
    int at = ((i - k) << 2) + k;

    out[at] = p + r;
    out[at + span] = (float2)(q.x + s.y, q.y - s.x);
    out[at + 2 * span] = p - r;
    out[at + 3 * span] = (float2)(q.x - s.y, q.y + s.x);
}
