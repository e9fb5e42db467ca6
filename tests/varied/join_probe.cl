/* Of each row: the payload of the slot whose key is equal, after at most four steps. */
__kernel void probe(__global const uint *key, __global const uint *table,
                    __global const uint *payload, __global uint *out, int n, uint mask)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint k = key[i];
    uint h = (k * 2654435761u) ^ (k >> 15);
    uint found = 0;

    for (int step = 0; step < 4; step++) {
        uint at = (h + step) & mask;

        if (table[at] == k)
            found = payload[at];
    }
    out[i] = found;
}
