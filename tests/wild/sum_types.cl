/* Sums of small integers in large ones. */
__kernel void sum_types(__global const short *a, __global const ushort *b,
                        __global const char *c, __global long *total,
                        __global ulong *mask, int n)
{
    int i = get_global_id(0);
    long sum = 0;
    ulong bits = 0;

    if (i >= n)
        return;
    for (int k = 0; k < 8; k++) {
        int at = i + k * n;
        sum += (long)a[at] * b[at] - c[at];
        bits |= (ulong)(b[at] & 0xff) << (8 * k);
    }
    total[i] = sum;
    mask[i] = rotate(bits, 4ul) ^ ~bits;
}
