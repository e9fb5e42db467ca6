/* A group for each row; a work-item has bytes of four at a time. */
__kernel void quantised_dot(__global const char *w, __global const float *scale, __global const float *x,
                            __global float *y, int blocks)
{
    __local float part[64];
    int r = get_group_id(0), l = get_local_id(0);
    float sum = 0.0f;

    for (int k = l; k < blocks * 8; k += 64) {
        int block = k / 8;
        char4 q = vload4(0, w + ((size_t)r * blocks + block) * 32 + k % 8 * 4);

        sum += scale[r * blocks + block] * dot(convert_float4(q), vload4(0, x + 4 * k));
    }
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 32; d > 0; d /= 2) {
        if (l < d)
            part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[r] = part[0];
}
