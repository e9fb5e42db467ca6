__kernel void pixels_tone(__global const uchar4 *in, __global uchar4 *out, int n, float gamma)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float r = in[i].x / 255.0f, g = in[i].y / 255.0f, b = in[i].z / 255.0f;
    float l = 0.3f * r + 0.6f * g + 0.1f * b, f = pow(l + 0.01f, gamma) / (l + 0.01f);

    out[i] = (uchar4)((uchar)clamp(255.0f * r * f, 0.0f, 255.0f),
                      (uchar)clamp(255.0f * g * f, 0.0f, 255.0f),
                      (uchar)clamp(255.0f * b * f, 0.0f, 255.0f), in[i].w);
}
