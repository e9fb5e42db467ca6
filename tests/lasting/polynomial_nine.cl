__kernel void polynomial_nine(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i], sum = 0;

    for (int k = 0; k < 64; k++) {
        float p = 0.1f, d = 0;

        for (int j = 0; j < 9; j++) {
            d = d * v + p;
            p = p * v + 0.1f * j;
        }
        v += 0.001f * p / (d + 2.0f);
        sum += p;
    }
    out[i] = sum;
}
