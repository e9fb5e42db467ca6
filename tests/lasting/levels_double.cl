__kernel void levels_double(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    double v = x[i], sum = 0;

    for (int k = 0; k < 32; k++) {
        sum += exp(-v) * sqrt(v) / (1 + v);
        v += 0.01;
    }
    out[i] = (float)sum;
}
