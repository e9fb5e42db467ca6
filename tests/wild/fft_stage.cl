/* One radix-2 stage of a batch of complex transforms (Stockham), values as float2. */
float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel void fft_stage(__global const float2 *in, __global float2 *out, int n, int stage)
{
    const int half_n = n / 2;
    const int i = get_global_id(0);
    __global const float2 *x = in + get_global_id(1) * n;
    __global float2 *y = out + get_global_id(1) * n;

    if (i >= half_n)
        return;
    const int block = 1 << stage;
    const int k = i & (block - 1);
    const float angle = -M_PI_F * k / block;
    const float2 w = (float2)(native_cos(angle), native_sin(angle));
    const float2 a = x[i];
    const float2 b = times(w, x[i + half_n]);
    const int j = ((i - k) << 1) + k;

    y[j] = a + b;
    y[j + block] = a - b;
}
