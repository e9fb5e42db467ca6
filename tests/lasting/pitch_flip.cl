__kernel void pitch_flip(__global const char *src, __global char *dst, ulong src_pitch,
                         ulong dst_pitch, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    __global const float *from = (__global const float *)(src + (ulong)(h - 1 - y) * src_pitch);
    __global float *to = (__global float *)(dst + (ulong)y * dst_pitch);

    to[x] = from[x] * 0.5f;
}
