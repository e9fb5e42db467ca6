/* Mean and spread of each of a few long series: a work-group for each. */
__kernel void few_moments(__global const float *series, __global float2 *moments, int n)
{
    __local float2 part[256];
    int l = get_local_id(0);
    int first = get_group_id(0) * n;
    float2 sum = (float2)(0.0f, 0.0f);

    for (int i = l; i < n; i += 256) {
        float v = series[first + i];

        sum.x += v;
        sum.y += v * v;
    }
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d) {
            float2 a = part[l];
            float2 b = part[l + d];

            part[l] = (float2)(a.x + b.x, a.y + b.y);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        float2 all = part[0];
        float mean = all.x / (float)n;

        moments[get_group_id(0)] = (float2)(mean, sqrt(fmax(all.y / (float)n - mean * mean, 0.0f)));
    }
}
