__kernel void counts_bits(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint v = (uint)(x[i] * 16777216.0f), w = i * 2654435761u, sum = 0;

    for (int k = 0; k < 64; k++) {
        sum += popcount(v ^ w) + clz(v | 1);
        v = v * 1664525u + 1013904223u;
        w ^= v;
    }
    out[i] = sum;
}
