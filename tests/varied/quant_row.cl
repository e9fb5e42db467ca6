/* Each row by 32 work-items: a block of 32 weights has one scale. */
__kernel void quant_row(__global const char *w, __global const float *scale,
                        __global const float *x, __global float *y, int rows, int cols)
{
    __local float part[4][32];
    int lane = get_local_id(0);
    int r = get_global_id(1);
    float sum = 0.0f;

    if (r < rows)
        for (int b = lane; b < cols / 32; b += 32) {
            float s = 0.0f;

            for (int k = 0; k < 32; k++)
                s += w[(r * (cols / 32) + b) * 32 + k] * x[b * 32 + k];
            sum += s * scale[r * (cols / 32) + b];
        }
    part[get_local_id(1)][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = 16; half_of > 0; half_of /= 2) {
        if (lane < half_of)
            part[get_local_id(1)][lane] += part[get_local_id(1)][lane + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && r < rows)
        y[r] = part[get_local_id(1)][0];
}
