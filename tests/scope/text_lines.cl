/* Ends of lines and letters in a text, sixteen bytes at a time, added by group. */
__kernel void text_lines(__global const uchar16 *text, __global int *lines, int pieces)
{
    __local int part[256];
    int l = get_local_id(0);
    int count = 0;

    for (int i = get_global_id(0); i < pieces; i += get_global_size(0)) {
        uchar16 t = text[i];

        count += (t.s0 == 10) + (t.s1 == 10) + (t.s2 == 10) + (t.s3 == 10) + (t.s4 == 10) +
                 (t.s5 == 10) + (t.s6 == 10) + (t.s7 == 10) + (t.s8 == 10) + (t.s9 == 10) +
                 (t.sa == 10) + (t.sb == 10) + (t.sc == 10) + (t.sd == 10) + (t.se == 10) +
                 (t.sf == 10);
    }
    part[l] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 128; d > 0; d >>= 1) {
        if (l < d)
            part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        lines[get_group_id(0)] = part[0];
}
