/* How often each of 64 kinds comes in a work-item's own part, and which comes most often. */
__kernel void scratchpad_counts(__global const uchar *kinds, __global uchar *commonest,
                                int part)
{
    ushort counts[64];
    int item = get_global_id(0), items = get_global_size(0), best = 0;

    for (int k = 0; k < 64; ++k)
        counts[k] = 0;
    for (int i = 0; i < part; ++i)
        counts[kinds[item + i * items] & 63]++;
    for (int k = 1; k < 64; ++k)
        if (counts[k] > counts[best])
            best = k;
    commonest[item] = (uchar)best;
}
