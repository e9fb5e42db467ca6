/* Two work-groups' worth of latency for little work. */
__kernel void eights_product(__global const float *a, __global const float *b, __global float *c)
{
    __local float s[8][8], t[8][8];
    int x = get_local_id(0), y = get_local_id(1), at = get_group_id(2) * 64 + y * 8 + x;
    float sum = 0.0f;

    s[y][x] = a[at];
    t[y][x] = b[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++)
        sum += s[y][k] * t[k][x];
    c[at] = sum;
}
