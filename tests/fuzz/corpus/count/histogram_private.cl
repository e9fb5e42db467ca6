// local=64; global=1024; kernel=histogram_private; sub=64;
kernel void histogram_private(global const uint *in, global uint *bins, uint n)
{
    local uint own[256];
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[in[i] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < 256; b += get_local_size(0))
        atomic_add(&bins[b], own[b]);
}
