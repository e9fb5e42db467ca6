/* A strip of 128 columns a group; its last row waits in local memory. */
__kernel void seam_rows(__global const float *energy, __global float *sum, int rows)
{
    __local float last[130];
    int l = get_local_id(0), w = get_global_size(0), x = get_global_id(0);
    float here = energy[x];

    if (l == 0) {
        last[0] = INFINITY;
        last[129] = INFINITY;
    }
    sum[x] = here;
    for (int r = 1; r < rows; r++) {
        last[l + 1] = here;
        barrier(CLK_LOCAL_MEM_FENCE);
        here = energy[r * w + x] + fmin(last[l + 1], fmin(last[l], last[l + 2]));
        sum[r * w + x] = here;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
