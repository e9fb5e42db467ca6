/* Lists are stored by column, so that lanes read neighbours. */
__kernel void neigh_force(__global const float4 *pos, __global const int *list,
                          __global float4 *force, int n, float cut2)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float4 p = pos[i], f = (float4)(0.0f);

    for (int k = 0; k < 40; k++) {
        float4 q = pos[list[k * n + i]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        float r2 = dx * dx + dy * dy + dz * dz + 0.01f;

        if (r2 < cut2) {
            float inv = 1.0f / r2, i3 = inv * inv * inv;
            float g = i3 * (i3 - 0.5f) * inv;

            f.x += g * dx;
            f.y += g * dy;
            f.z += g * dz;
            f.w += i3;
        }
    }
    force[i] = f;
}
