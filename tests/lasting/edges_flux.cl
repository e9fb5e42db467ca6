__kernel void edges_flux(__global const int2 *side, __global const float4 *state,
                         __global const float *area, __global float4 *flux, int n)
{
    int e = get_global_id(0);

    if (e >= n)
        return;
    int2 s = side[e];
    float4 a = state[s.x], b = state[s.y];
    float speed = sqrt(a.x * b.x) + fabs(a.y - b.y);

    flux[e] = area[e] * (0.5f * (a + b) - 0.5f * speed * (b - a));
}
