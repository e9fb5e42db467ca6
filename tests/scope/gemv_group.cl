#define GROUP 128

/* A work-group for each row: strided partial sums, then a tree. */
__kernel void row_sums(__global const float *a, __global const float *x, __global float *y, int cols)
{
    __local float part[GROUP];
    int l = get_local_id(0);
    int row = get_group_id(0);
    float sum = 0.0f;

    for (int j = l; j < cols; j += GROUP)
        sum += a[row * cols + j] * x[j];
    part[l] = sum;
    for (int span = GROUP / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < span)
            part[l] += part[l + span];
    }
    if (l == 0)
        y[row] = part[0];
}
