__kernel void kernel_sums(__global const float *p, __global float *out, int n, float width)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], sum = 0;

    for (int j = 0; j < n; j++) {
        float a = p[3 * j] - x, b = p[3 * j + 1] - y, c = p[3 * j + 2] - z;

        sum += exp(-(a * a + b * b + c * c) / (2 * width * width));
    }
    out[i] = sum;
}
