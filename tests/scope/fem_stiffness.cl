#define NODES 8
#define POINTS 8

/* Element matrices of a scalar problem: sum over quadrature points of weighted products of
 * gradients.  A row for each work-item, eight elements in a group of 64. */
__kernel void stiffness(__global const float *gradient, __global const float *weight,
                        __global float *matrix)
{
    __local float g[POINTS * NODES * 3];
    int l = get_local_id(0);
    int row = l % NODES;
    int element = get_group_id(0) * 8 + l / NODES;
    float sum[NODES];

    for (int i = l; i < POINTS * NODES * 3; i += 64)
        g[i] = gradient[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < NODES; j++)
        sum[j] = 0.0f;
    for (int q = 0; q < POINTS; q++) {
        float w = weight[element * POINTS + q];

        for (int j = 0; j < NODES; j++)
            for (int d = 0; d < 3; d++)
                sum[j] += w * g[(q * NODES + row) * 3 + d] * g[(q * NODES + j) * 3 + d];
    }
    for (int j = 0; j < NODES; j++)
        matrix[(element * NODES + row) * NODES + j] = sum[j];
}
