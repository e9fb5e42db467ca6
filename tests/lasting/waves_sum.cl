__kernel void waves_sum(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float t = x[i] * 10, sum = 0;

    for (int k = 1; k <= 16; k++)
        sum += sin(t * k + 0.1f * k) / k + cos(t * k) * exp(-0.1f * k);
    out[i] = sum;
}
