#define GROUP 128

/* A row for each work-group: its largest value, the sum of exponentials, the quotients. */
__kernel void net_softmax(__global const float *in, __global float *out, int width)
{
    __local float part[GROUP];
    int l = get_local_id(0);
    int row = get_group_id(0) * width;
    float top = -1.0e30f;
    float sum = 0.0f;

    for (int j = l; j < width; j += GROUP)
        top = fmax(top, in[row + j]);
    part[l] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = GROUP / 2; d > 0; d >>= 1) {
        if (l < d)
            part[l] = fmax(part[l], part[l + d]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = l; j < width; j += GROUP) {
        float e = exp(in[row + j] - top);

        out[row + j] = e;
        sum += e;
    }
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = GROUP / 2; d > 0; d >>= 1) {
        if (l < d)
            part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = 1.0f / part[0];
    for (int j = l; j < width; j += GROUP)
        out[row + j] *= sum;
}
