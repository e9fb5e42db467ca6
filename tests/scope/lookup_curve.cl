/* A function given at equal distances, straight between them; constant beyond the ends. */
__kernel void lookup_curve(__global const float *x, __global const float *curve,
                           __global float *y, int n, int points, float scale)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float at = x[i] * scale;
    int k = clamp((int)at, 0, points - 2);
    float part = clamp(at - (float)k, 0.0f, 1.0f);

    y[i] = curve[k] + part * (curve[k + 1] - curve[k]);
}
