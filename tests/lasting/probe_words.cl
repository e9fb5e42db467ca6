__kernel void probe_words(__global const uint *key, __global const uint *slot,
                          __global const float *value, __global float *out, int n, uint mask)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint k = key[i], at = (k ^ (k >> 11)) * 0x9e3779b1u & mask;
    float found = -1;

    for (int tries = 0; tries < 8; tries++) {
        uint s = slot[at];

        if (s == k) {
            found = value[at];
            break;
        }
        if (s == 0)
            break;
        at = (at + 1) & mask;
    }
    out[i] = found;
}
