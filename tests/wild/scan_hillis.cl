/* Inclusive scan of each block, Hillis and Steele: the distance doubles. */
#define LSIZE 64

__kernel void scan_hillis(__global const float *in, __global float *out,
                          __global float *sums)
{
    __local float temp[2][LSIZE];
    int lid = get_local_id(0);
    int pout = 0, pin = 1;

    temp[pout][lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < LSIZE; d *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (lid >= d)
            temp[pout][lid] = temp[pin][lid] + temp[pin][lid - d];
        else
            temp[pout][lid] = temp[pin][lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = temp[pout][lid];
    if (lid == LSIZE - 1)
        sums[get_group_id(0)] = temp[pout][lid];
}
