/* A record lies in consecutive bytes; the table is copied to local memory first. */
__kernel void check_bytes(__global const uchar *data, __global const uint *table, __global uint *crc,
                          int n, int length)
{
    __local uint step[256];
    int i = get_global_id(0);
    uint c = 0xffffffffu;

    for (int k = get_local_id(0); k < 256; k += get_local_size(0))
        step[k] = table[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    for (int k = 0; k < length; k++)
        c = step[(c ^ data[i * length + k]) & 0xff] ^ (c >> 8);
    crc[i] = ~c;
}
