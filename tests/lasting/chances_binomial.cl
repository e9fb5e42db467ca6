__kernel void chances_binomial(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v[33], up = 1.01f, s = x[i] * 100;

    for (int k = 0; k <= 32; k++)
        v[k] = fmax(s * pow(up, (float)(2 * k - 32)) - 80.0f, 0.0f);
    for (int t = 32; t > 0; t--)
        for (int k = 0; k < t; k++)
            v[k] = 0.999f * (0.49f * v[k] + 0.51f * v[k + 1]);
    out[i] = v[0];
}
