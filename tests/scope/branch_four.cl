/* Lanes of a work-group in four kinds of work, by turns or by blocks of 'run'. */
__kernel void branch_four(__global const float *x, __global float *y, int n, int rounds)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i];
    int kind = i % 4;

    if (kind == 0) {
        for (int r = 0; r < rounds; r++)
            v = v * 0.99f + 0.01f;
    } else if (kind == 1) {
        for (int r = 0; r < rounds; r++)
            v = sqrt(v + 0.5f);
    } else if (kind == 2) {
        for (int r = 0; r < 2 * rounds; r++)
            v = fmin(v * 1.01f, 1.0f);
    } else {
        v = 1.0f - v;
    }
    y[i] = v;
}
