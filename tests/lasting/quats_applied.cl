__kernel void quats_applied(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float w = x[i], a = 1 - w, b = 0.3f, c = w * w, px = 1, py = 2, pz = w;

    for (int k = 0; k < 64; k++) {
        float r = rsqrt(w * w + a * a + b * b + c * c);

        w *= r;
        a *= r;
        b *= r;
        c *= r;
        float tx = 2 * (b * pz - c * py), ty = 2 * (c * px - a * pz), tz = 2 * (a * py - b * px);

        px += w * tx + b * tz - c * ty;
        py += w * ty + c * tx - a * tz;
        pz += w * tz + a * ty - b * tx;
        w += 0.01f * px;
    }
    out[i] = px + py + pz;
}
