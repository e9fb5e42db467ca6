__kernel void near_cut(__global const float4 *pos, __global const int *list,
                       __global float4 *force, int n, float cut)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float4 p = pos[i], f = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

    for (int k = 0; k < 48; k++) {
        float4 d = pos[list[k * n + i]] - p;
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z;

        if (r2 < cut && r2 > 1e-6f) {
            float s = 1 / r2, t = s * s * s;

            f += d * (t * (t - 0.5f) * s);
        }
    }
    force[i] = f;
}
