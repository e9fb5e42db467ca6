#define ROW 4096

/* How often values occur, at most: each of three hashes counts in a row of its own. */
__kernel void hash_sketch(__global const uint *value, __global int *sketch, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint v = value[i];

    for (uint r = 0; r < 3; r++) {
        uint h = (v ^ (v >> 15)) * (0x2c1b3c6du + 2u * r);

        h ^= h >> 12;
        atomic_inc(&sketch[ROW * r + (h & (ROW - 1))]);
    }
}
