__kernel void walks_long(__global const float *x, __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    ulong s = (ulong)i * 0x9e3779b97f4a7c15ul + 1, sum = 0;

    for (int k = 0; k < 64; k++) {
        ulong z = s += 0x9e3779b97f4a7c15ul;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
        sum += z ^ (z >> 31);
    }
    out[i] = (uint)(sum >> 32) + (uint)(x[i] * 4);
}
