/* Elimination and substitution, one system a work-item. */
__kernel void bands_apart(__global const float *low, __global float *middle, __global const float *up,
                          __global float *d, int systems, int n)
{
    int s = get_global_id(0);

    if (s >= systems)
        return;
    for (int k = 1; k < n; k++) {
        float m = 0.3f * low[k * systems + s] / middle[(k - 1) * systems + s];

        middle[k * systems + s] -= m * 0.3f * up[(k - 1) * systems + s];
        d[k * systems + s] -= m * d[(k - 1) * systems + s];
    }
    d[(n - 1) * systems + s] /= middle[(n - 1) * systems + s];
    for (int k = n - 2; k >= 0; k--)
        d[k * systems + s] =
            (d[k * systems + s] - 0.3f * up[k * systems + s] * d[(k + 1) * systems + s]) /
            middle[k * systems + s];
}
