__kernel void logic_rings(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i], w = 1 - v, sum = 0;

    for (int k = 0; k < 128; k++) {
        if (v > 0.8f) {
            v -= 0.3f * w;
            sum += sqrt(v + 1);
        } else if (w > v) {
            w *= 0.9f;
            sum += v * w;
        } else {
            v += 0.05f;
        }
        w = w < 0.1f ? 0.9f : w;
    }
    out[i] = sum;
}
