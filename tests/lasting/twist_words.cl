__kernel void twist_words(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint a = (uint)(x[i] * 1e6f) + i, b = a ^ 0x9e3779b9u, c = 362436069u, d = 521288629u;
    uint sum = 0;

    for (int k = 0; k < 256; k++) {
        uint t = a ^ (a << 11);

        a = b;
        b = c;
        c = d;
        d = d ^ (d >> 19) ^ t ^ (t >> 8);
        sum += d;
    }
    out[i] = sum;
}
