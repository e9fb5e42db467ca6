__kernel void network_sort(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    float v[16];

    if (i >= n)
        return;
    for (int k = 0; k < 16; k++)
        v[k] = in[k * n + i];
#pragma unroll
    for (int pass = 0; pass < 16; pass++)
#pragma unroll
        for (int k = pass % 2; k < 15; k += 2) {
            float lo = fmin(v[k], v[k + 1]), hi = fmax(v[k], v[k + 1]);

            v[k] = lo;
            v[k + 1] = hi;
        }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = v[k];
}
