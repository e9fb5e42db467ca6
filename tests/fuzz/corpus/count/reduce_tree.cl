// local=256; global=n; kernel=reduce_tree; sub=64; banks=32; index=1;
kernel void reduce_tree(global const float *in, global float *out, local float *t, uint n)
{
    uint l = get_local_id(0), i = get_group_id(0) * 512 + l;
    t[l] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}
