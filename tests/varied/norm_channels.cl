/* Channels lie between pictures and pixels. */
__kernel void norm_stats(__global const float *x, __global float *mean,
                         __global float *var, int channels, int pixels, int batch)
{
    __local float s1[256], s2[256];
    int c = get_group_id(0);
    int l = get_local_id(0);
    float a = 0.0f, b = 0.0f;

    for (int i = l; i < batch * pixels; i += 256) {
        float v = x[((i / pixels) * channels + c) * pixels + i % pixels];

        a += v;
        b += v * v;
    }
    s1[l] = a;
    s2[l] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 128; n > 0; n >>= 1) {
        if (l < n) {
            s1[l] += s1[l + n];
            s2[l] += s2[l + n];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        float m = s1[0] / (batch * pixels);

        mean[c] = m;
        var[c] = s2[0] / (batch * pixels) - m * m;
    }
}
