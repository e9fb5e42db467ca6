__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void soft_rows(__global const float *in, __global float *out, int width)
{
    __local float part[128];
    int l = get_local_id(0);
    __global const float *row = in + (long)get_group_id(0) * width;
    float most = -1e30f, sum = 0;

    for (int k = l; k < width; k += 128)
        most = fmax(most, row[k]);
    part[l] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 64; s > 0; s /= 2) {
        if (l < s)
            part[l] = fmax(part[l], part[l + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < width; k += 128)
        sum += exp(row[k] - most);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 64; s > 0; s /= 2) {
        if (l < s)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = l; k < width; k += 128)
        out[(long)get_group_id(0) * width + k] = exp(row[k] - most) / part[0];
}
