#define SIDE 33

__kernel void grade_cube(__global const float4 *in, __global const float4 *cube,
                         __global float4 *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float4 c = clamp(in[i], 0.0f, 1.0f) * (SIDE - 1.001f);
    int r = (int)c.x, g = (int)c.y, b = (int)c.z;
    float u = c.x - r, v = c.y - g, w = c.z - b;
    int at = (b * SIDE + g) * SIDE + r;
    float4 p = mix(mix(cube[at], cube[at + 1], u),
                   mix(cube[at + SIDE], cube[at + SIDE + 1], u), v);
    int up = at + SIDE * SIDE;
    float4 q = mix(mix(cube[up], cube[up + 1], u),
                   mix(cube[up + SIDE], cube[up + SIDE + 1], u), v);

    out[i] = mix(p, q, w);
}
