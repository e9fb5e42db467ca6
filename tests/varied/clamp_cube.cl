__kernel void clamp_cube(__global const float *in, __global float *out,
                         __global const float *k, int n)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x >= n || y >= n || z >= n)
        return;
    float s = 0.0f;

    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int u = clamp(x + dx, 0, n - 1), v = clamp(y + dy, 0, n - 1),
                    w = clamp(z + dz, 0, n - 1);

                s += k[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1] * in[(w * n + v) * n + u];
            }
    out[(z * n + y) * n + x] = s;
}
