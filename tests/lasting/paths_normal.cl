__kernel void paths_normal(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint s = (uint)i * 747796405u + 2891336453u;
    float price = x[i], sum = 0;

    for (int k = 0; k < 64; k++) {
        s = s * 1664525u + 1013904223u;
        float u = ((s >> 8) + 1) * (1.0f / 16777217.0f);

        s = s * 1664525u + 1013904223u;
        float v = (s >> 8) * (1.0f / 16777216.0f);
        float z = sqrt(-2.0f * log(u)) * cos(6.2831853f * v);

        price *= exp(0.001f + 0.02f * z);
        sum += price;
    }
    out[i] = sum / 64;
}
