/* 5-point stencil (Stevens and Kloeckner 2020, section 8.5): 16x16 items load, 14x14 compute. */
__kernel void stencil(__global const float *u, __global float *r, int n)
{
    __local float t[16][16];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0), gy = get_group_id(1);

    t[ly][lx] = u[(14 * gy + ly) * (n + 2) + 14 * gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx <= 13 && ly <= 13)
        r[n * (14 * gy + ly) + 14 * gx + lx] = t[ly + 1][lx] + t[ly + 1][lx + 2] +
                                               t[ly][lx + 1] + t[ly + 2][lx + 1] -
                                               4.0f * t[ly + 1][lx + 1];
}
