#define GROUP 256

/* Both vectors of a step, and the new residual's squares summed over each work-group. */
__kernel void update_and_square(__global double *x, __global double *r, __global const double *p,
                                __global const double *q, __global double *squares, double alpha,
                                int n)
{
    __local double part[GROUP];
    int i = get_global_id(0);
    int l = get_local_id(0);
    double mine = 0.0;

    if (i < n) {
        x[i] += alpha * p[i];
        mine = r[i] - alpha * q[i];
        r[i] = mine;
    }
    part[l] = mine * mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int span = GROUP / 2; span > 0; span >>= 1) {
        if (l < span)
            part[l] += part[l + span];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        squares[get_group_id(0)] = part[0];
}
