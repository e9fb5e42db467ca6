#define REACH 8

__kernel void gauss_rows(__global const float *in, __constant float *k,
                         __global float *out, int w, int h)
{
    __local float t[128 + 2 * REACH];
    int l = get_local_id(0), x = get_global_id(0), y = get_global_id(1);

    for (int i = l; i < 128 + 2 * REACH; i += 128)
        t[i] = in[y * w + clamp((int)get_group_id(0) * 128 + i - REACH, 0, w - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w) {
        float s = 0.0f;

        for (int i = 0; i <= 2 * REACH; i++)
            s += k[i] * t[l + i];
        out[y * w + x] = s;
    }
}
