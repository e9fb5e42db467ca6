#define GROUP 256

/* The last step of a reduction: one group alone, four elements in flight. */
__kernel void sum_single(__global const float *x, __global float *sum, int n)
{
    __local float part[GROUP];
    int l = get_local_id(0);
    float s0 = 0.0f;
    float s1 = 0.0f;
    float s2 = 0.0f;
    float s3 = 0.0f;

    for (int i = l; i < n / 4; i += GROUP) {
        s0 += x[i];
        s1 += x[i + n / 4];
        s2 += x[i + n / 2];
        s3 += x[i + 3 * (n / 4)];
    }
    part[l] = (s0 + s1) + (s2 + s3);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = GROUP / 2; d > 0; d /= 2) {
        if (l < d)
            part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sum[0] = part[0];
}
