__kernel void field_gather(__global const float *x, __global const float *y,
                           __global const float2 *e, __global float2 *to, int n, int side)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float u = fabs(x[i]) * (side - 1), v = fabs(y[i]) * (side - 1);
    int a = clamp((int)u, 0, side - 1), b = clamp((int)v, 0, side - 1);
    float p = u - a, q = v - b;
    __global const float2 *c = e + b * (side + 1) + a;
    float2 f = mix(mix(c[0], c[1], p), mix(c[side + 1], c[side + 2], p), q);

    to[i] = (float2)(u, v) + 0.1f * f;
}
