/* Largest, sum and quotients of a row. */
__kernel void softmax_rows(__global const float *x, __global float *y, int width)
{
    __local float part[128];
    int l = get_local_id(0);
    __global const float *row = x + get_group_id(0) * (size_t)width;
    float most = -INFINITY, sum = 0.0f;

    for (int i = l; i < width; i += 128)
        most = fmax(most, row[i]);
    part[l] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = 64; half_of > 0; half_of >>= 1) {
        if (l < half_of)
            part[l] = fmax(part[l], part[l + half_of]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < width; i += 128)
        sum += exp(row[i] - most);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = 64; half_of > 0; half_of >>= 1) {
        if (l < half_of)
            part[l] += part[l + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = part[0];
    for (int i = l; i < width; i += 128)
        y[get_group_id(0) * (size_t)width + i] = exp(row[i] - most) / sum;
}
