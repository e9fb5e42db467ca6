/* y = A x, a row a work-group: its work-items stride along the row, a tree adds up. */
__kernel void matvec_group(__global const float *A, __global const float *x,
                           __global float *y, uint rows, uint cols, __local float *work)
{
    for (uint row = get_group_id(0); row < rows; row += get_num_groups(0)) {
        __global const float *line = A + row * cols;
        float sum = 0;

        for (uint c = get_local_id(0); c < cols; c += get_local_size(0))
            sum += line[c] * x[c];
        work[get_local_id(0)] = sum;

        for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) < stride)
                work[get_local_id(0)] += work[get_local_id(0) + stride];
        }
        if (get_local_id(0) == 0)
            y[row] = work[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
