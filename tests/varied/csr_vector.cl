__kernel void csr_vector(__global const int *col, __global const float *val,
                         __global const float *x, __global float *y, int n)
{
    __local float part[128];
    int lane = get_local_id(0), r = get_global_id(1), at = get_local_id(1) * 32 + lane;
    float s = 0.0f;

    if (r < n)
        for (int j = 64 * r + lane; j < 64 * r + 64; j += 32)
            s += val[j] * x[col[j]];
    part[at] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16)
        part[at] += part[at + 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 8)
        part[at] += part[at + 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && r < n) {
        y[r] = part[at] + part[at + 1] + part[at + 2] + part[at + 3] + part[at + 4] +
               part[at + 5] + part[at + 6] + part[at + 7];
    }
}
