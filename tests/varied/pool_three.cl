__kernel void pool_three(__global const float *in, __global float *out, int w, int to)
{
    int x = get_global_id(0), y = get_global_id(1), p = get_global_id(2);

    if (x >= to || y >= to)
        return;
    float best = -1.0e30f;

    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int u = 2 * x + i, v = 2 * y + j;

            if (u >= 0 && u < w && v >= 0 && v < w)
                best = fmax(best, in[(p * w + v) * w + u]);
        }
    out[(p * to + y) * to + x] = best;
}
