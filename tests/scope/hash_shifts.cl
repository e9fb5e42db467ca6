/* Random numbers by shifts and exclusive or; the last one is the place that is read. */
__kernel void hash_shifts(__global const float *table, __global float *out, int items,
                          int rounds, int entries)
{
    int i = get_global_id(0);
    uint s = 2654435769u * (uint)i + 1u;

    if (i >= items)
        return;
    for (int r = 0; r < rounds; r++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = table[s % (uint)entries];
}
