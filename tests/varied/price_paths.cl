uint scatter(uint c)
{
    c = (c ^ (c >> 16)) * 0x7feb352du;
    c = (c ^ (c >> 15)) * 0x846ca68bu;
    return c ^ (c >> 16);
}

__kernel void price_paths(__global float *out, int n, uint seed)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float s = 1.0f, top = 0.0f;

    for (int t = 0; t < 64; t++) {
        float u = (scatter(seed + i * 64u + t) >> 8) * (1.0f / 16777216.0f) + 1.0e-7f;
        float v = (scatter(seed ^ (i * 64u + t)) >> 8) * (1.0f / 16777216.0f);
        float z = native_sqrt(-2.0f * native_log(u)) * native_cos(6.2831853f * v);

        s *= native_exp(0.01f * z - 0.0001f);
        top = fmax(top, s);
    }
    out[i] = top;
}
