uint2 mix_round(uint2 c, uint key)
{
    ulong p = (ulong)c.x * 0xd256d193u;

    return (uint2)((uint)(p >> 32) ^ key ^ c.y, (uint)p);
}

__kernel void rounds_counter(__global uint *out, uint seed, int each)
{
    int i = get_global_id(0);
    uint sum = 0;

    for (int k = 0; k < each; k++) {
        uint2 c = (uint2)((uint)i, (uint)k);
        uint key = seed;

        for (int r = 0; r < 10; r++) {
            c = mix_round(c, key);
            key += 0x9e3779b9u;
        }
        sum += c.x ^ c.y;
    }
    out[i] = sum;
}
