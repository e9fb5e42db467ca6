#define SLOTS (1 << 20)

uint mixed(uint h, uint word)
{
    word *= 0xcc9e2d51u;
    word = (word << 15) | (word >> 17);
    h ^= word * 0x1b873593u;
    h = (h << 13) | (h >> 19);
    return h * 5u + 0xe6546b64u;
}

/* Keys of four words are hashed; their slot and the three after it are compared with a tag. */
__kernel void hash_keys(__global const uint4 *key, __global const uint *slot, __global uint *hits,
                        int keys)
{
    int i = get_global_id(0);

    if (i >= keys)
        return;
    uint4 k = key[i];
    uint h = mixed(mixed(mixed(mixed(17u, k.x), k.y), k.z), k.w);
    uint found = 0;

    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    for (uint p = 0; p < 4; p++)
        found += (slot[(h + p) & (SLOTS - 1)] & 255u) == (h >> 24);
    hits[i] = found;
}
