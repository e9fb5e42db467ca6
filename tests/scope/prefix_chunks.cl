/* A run of 16 neighbours for each work-item: reads and writes of neighbours lie 16 apart. */
__kernel void prefix_chunks(__global const float *in, __global float *out, __global float *total)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    for (int k = 0; k < 16; k++) {
        sum += in[16 * i + k];
        out[16 * i + k] = sum;
    }
    total[i] = sum;
}
