__kernel void sample_field(__global const float2 *pos, __global const float *field,
                           __global float *out, int n, int side)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float x = pos[i].x * (side - 2), y = pos[i].y * (side - 2);
    int a = (int)x, b = (int)y;
    float p = x - a, q = y - b;
    __global const float *at = field + b * side + a;

    out[i] = (1 - q) * ((1 - p) * at[0] + p * at[1]) +
             q * ((1 - p) * at[side] + p * at[side + 1]);
}
