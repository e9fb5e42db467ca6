/* Eight dimensions, which lie n apart. */
__kernel void mixture_score(__global const float *x, __global const float *mean,
                            __global const float *weight, __global float *score, int n, int parts)
{
    int i = get_global_id(0);
    float p[8], sum = 0.0f;

    if (i >= n)
        return;
    for (int d = 0; d < 8; d++)
        p[d] = x[d * n + i];
    for (int k = 0; k < parts; k++) {
        float e = 0.0f;

        for (int d = 0; d < 8; d++) {
            float t = p[d] - mean[k * 8 + d];

            e += t * t * weight[k * 8 + d];
        }
        sum += native_exp(-e);
    }
    score[i] = native_log(sum);
}
