/* Points of a sequence by shifts and xor that fall into a quarter of a circle, in integers. */
__kernel void chance_area(__global const uint *seed, __global int *inside, int rounds)
{
    int i = get_global_id(0);
    uint s = seed[i] * 2654435761u + 1u;
    int count = 0;

    for (int r = 0; r < rounds; r++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        uint x = s & 0x7fffu;
        uint y = (s >> 16) & 0x7fffu;

        count += x * x + y * y < 0x3fff0001u ? 1 : 0;
    }
    inside[i] = count;
}
