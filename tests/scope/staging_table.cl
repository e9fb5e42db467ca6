#define ENTRIES 10000 /* 40 KB: few work-groups fit beside each other */

/* A table that each work-group copies for itself, then looks up at places that data give. */
__kernel void staging_table(__global const float *table, __global const int *place,
                            __global float *out, int each)
{
    __local float mine[ENTRIES];
    int l = get_local_id(0);
    int i = get_global_id(0);
    int items = get_global_size(0);
    float sum = 0.0f;

    for (int k = l; k < ENTRIES; k += 256)
        mine[k] = table[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = 0; e < each; e++)
        sum += mine[place[e * items + i]];
    out[i] = sum;
}
