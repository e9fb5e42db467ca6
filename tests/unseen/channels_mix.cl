__kernel void channels_mix(__global const float *x, __global const float *w, __global float *y, int ci,
                           int co, int pixels)
{
    __local float xs[16][17], ws[16][17];
    int lx = get_local_id(0), ly = get_local_id(1);
    int p = get_global_id(0), o = get_global_id(1);
    float sum = 0.0f;

    for (int k = 0; k < ci; k += 16) {
        xs[ly][lx] = p < pixels ? x[(k + ly) * pixels + p] : 0.0f;
        ws[ly][lx] = o < co ? w[o * ci + k + lx] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++)
            sum += xs[j][lx] * ws[ly][j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (p < pixels && o < co)
        y[o * pixels + p] = sum;
}
