/* How many of four neighbouring slots are smaller than the key. */
__kernel void probe_table(__global const uint *key, __global const uint *table, __global uint *found,
                          int n, uint mask)
{
    int i = get_global_id(0);

    if (i < n) {
        uint k = key[i], h = k, hits = 0;

        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        for (uint p = 0; p < 4; p++)
            hits += table[(h + p) & mask] < k;
        found[i] = hits;
    }
}
