__kernel void powers_whole(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i], sum = 0;

    for (int k = 0; k < 32; k++) {
        sum += pow(v, 3.0f) + pow(v, 2.0f) + pown(v, 4);
        v = v * 0.99f + 0.001f;
    }
    out[i] = sum;
}
