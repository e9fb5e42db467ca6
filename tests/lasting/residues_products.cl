__kernel void residues_products(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint p = 2147483647u, v = (uint)(x[i] * 1e8f) + 1, r = 1;

    for (int k = 0; k < 64; k++) {
        ulong t = (ulong)r * v;
        uint s = (uint)(t & p) + (uint)(t >> 31);

        r = s >= p ? s - p : s;
        v = v + 7 < p ? v + 7 : 1;
    }
    out[i] = r;
}
