/* Each channel by its own nine weights. */
__kernel void depthwise_three(__global const float *restrict from, __global const float *restrict weight,
                              __global const float *restrict bias, __global float *restrict to,
                              int planes, int side)
{
    int i = get_global_id(0);
    int plane = i / (side * side);

    if (plane < planes) {
        int at = i - plane * side * side;
        int y = at / side, x = at - y * side;
        float sum = bias[plane];

        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++) {
                int sy = y + ky - 1, sx = x + kx - 1;

                if (sy >= 0 && sy < side && sx >= 0 && sx < side)
                    sum += from[(plane * side + sy) * side + sx] * weight[plane * 9 + ky * 3 + kx];
            }
        to[i] = fmax(sum, 0.0f);
    }
}
