__kernel void spin_pairs(__global const uint *bits, __global int *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int s = 0;

    for (int k = 0; k < 8; k++)
        s += popcount(bits[x * 8 + k] ^ bits[y * 8 + k]);
    out[y * n + x] = s;
}
