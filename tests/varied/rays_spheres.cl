__kernel void rays(__constant float4 *ball, __global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float3 d = normalize((float3)((float)x / w - 0.5f, (float)y / h - 0.5f, 1.0f));
    float near = 1.0e9f;

    for (int k = 0; k < 48; k++) {
        float4 b = ball[k];
        float3 c = (float3)(b.x, b.y, b.z + 2.0f);
        float along = dot(c, d);
        float gap = along * along - dot(c, c) + 0.1f * b.w;

        if (gap > 0.0f) {
            float t = along - sqrt(gap);

            if (t > 0.0f && t < near)
                near = t;
        }
    }
    out[y * w + x] = near;
}
