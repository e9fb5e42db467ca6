#define GROUP 256

/* Inclusive sums of each 256 integers, doubling the distance, in two buffers in turn. */
__kernel void prefix_block(__global const int *in, __global int *out, __global int *totals, int n)
{
    __local int data[2 * GROUP];
    int l = get_local_id(0);
    int i = get_global_id(0);
    int from = 0;

    data[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < GROUP; d <<= 1) {
        int sum = data[from + l];

        if (l >= d)
            sum += data[from + l - d];
        from = GROUP - from;
        data[from + l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = data[from + l];
    if (l == GROUP - 1)
        totals[get_group_id(0)] = data[from + l];
}
