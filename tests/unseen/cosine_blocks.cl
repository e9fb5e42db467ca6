/* Rows, then columns of a block. */
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void
cosine_blocks(__global const float *image, __constant float *basis, __global float *out)
{
    __local float a[8][8], b[8][8];
    const int x = get_local_id(0), y = get_local_id(1);
    const int at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float sum = 0.0f;

    a[y][x] = image[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++)
        sum += a[y][k] * basis[x * 8 + k];
    b[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += b[k][x] * basis[y * 8 + k];
    out[at] = sum;
}
