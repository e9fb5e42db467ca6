#define N 256

/* A transform of 256 complex numbers for each work-group of 128, stage after stage in local
 * memory; the factors come from a table. */
__kernel void transform_local(__global float2 *data, __global const float2 *factor)
{
    __local float2 a[N], b[N];
    int l = get_local_id(0);
    int first = get_group_id(0) * N;

    a[l] = data[first + l];
    a[l + N / 2] = data[first + l + N / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stage = 0; stage < 8; stage++) {
        int run = 1 << stage;
        int at = l / run;
        int in = l % run;
        float2 w = factor[at * run];
        float2 u = stage % 2 == 0 ? a[l] : b[l];
        float2 v = stage % 2 == 0 ? a[l + N / 2] : b[l + N / 2];
        float2 plus = (float2)(u.x + v.x, u.y + v.y);
        float2 minus = (float2)(u.x - v.x, u.y - v.y);
        float2 turned = (float2)(minus.x * w.x - minus.y * w.y, minus.x * w.y + minus.y * w.x);

        if (stage % 2 == 0) {
            b[2 * at * run + in] = plus;
            b[2 * at * run + in + run] = turned;
        } else {
            a[2 * at * run + in] = plus;
            a[2 * at * run + in + run] = turned;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[first + l] = a[l];
    data[first + l + N / 2] = a[l + N / 2];
}
