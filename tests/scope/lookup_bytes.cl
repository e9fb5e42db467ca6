/* Bytes replaced by those of a table, four in a word, which is in local memory. */
__kernel void lookup_bytes(__global const uint *in, __global const uint *table,
                           __global uint *out, int n)
{
    __local uint level[256];
    int l = get_local_id(0);

    level[l] = table[l] & 255u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint w = in[i];

        out[i] = level[w & 255] | level[(w >> 8) & 255] << 8 | level[(w >> 16) & 255] << 16 |
                 level[w >> 24] << 24;
    }
}
