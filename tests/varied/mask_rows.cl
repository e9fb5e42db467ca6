__kernel void mask_rows(__global float *s, int n)
{
    __local float part[128];
    int r = get_group_id(0), l = get_local_id(0);
    __global float *row = s + r * n;
    float top = -1.0e30f, sum = 0.0f;

    for (int k = l; k <= r; k += 128)
        top = fmax(top, row[k] * 0.125f);
    part[l] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 64; k > 0; k /= 2) {
        if (l < k)
            part[l] = fmax(part[l], part[l + k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k <= r; k += 128)
        sum += exp(row[k] * 0.125f - top);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 64; k > 0; k /= 2) {
        if (l < k)
            part[l] += part[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = part[0];
    for (int k = l; k < n; k += 128)
        row[k] = k <= r ? exp(row[k] * 0.125f - top) / sum : 0.0f;
}
