__kernel void cholesky_update(__global const float *l, __global float *a, int n)
{
    __local float p[16][33], q[16][33];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0),
        y = get_global_id(1);

    if (get_group_id(0) > get_group_id(1))
        return;
    for (int k = lx; k < 32; k += 16) {
        p[ly][k] = l[y * 32 + k];
        q[ly][k] = l[(get_group_id(0) * 16 + ly) * 32 + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;

    for (int k = 0; k < 32; k++)
        s += p[ly][k] * q[lx][k];
    a[y * n + x] -= s;
}
