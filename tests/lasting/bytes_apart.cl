__kernel void bytes_apart(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint v = (uint)(x[i] * 16777216.0f), sum = 0;

    for (int k = 0; k < 64; k++) {
        uint a = v & 255, b = (v >> 8) & 255, c = (v >> 16) & 255, d = v >> 24;
        uint hi = max(max(a, b), max(c, d)), lo = min(min(a, b), min(c, d));

        sum += (hi - lo) * (hi > 128 ? 3 : 1);
        v = v * 69069u + 1u;
    }
    out[i] = sum;
}
