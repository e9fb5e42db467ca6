__kernel void local_histogram(__global const uint *data, __global int *bins, int words)
{
    __local int mine[256];
    int l = get_local_id(0);

    mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint v = data[i];

        atomic_inc(&mine[v & 255]);
        atomic_inc(&mine[(v >> 8) & 255]);
        atomic_inc(&mine[(v >> 16) & 255]);
        atomic_inc(&mine[v >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], mine[l]);
}
