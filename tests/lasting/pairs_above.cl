__kernel void pairs_above(__global const float2 *p, __global float *energy, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float2 own = p[i];
    float sum = 0;

    for (int j = i + 1; j < n; j++) {
        float2 d = p[j] - own;

        sum += 1.0f / (d.x * d.x + d.y * d.y + 0.01f);
    }
    energy[i] = sum;
}
