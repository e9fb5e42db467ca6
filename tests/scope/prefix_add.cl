/* Adds the sums of all blocks before to the elements of each block, in vectors of four. */
__kernel void add_offsets(__global int4 *data, __global const int *offset, int quads)
{
    int i = get_global_id(0);

    if (i < quads)
        data[i] += offset[i / 64];
}
