/* Where in the table is data. */
__kernel void spline_table(__global const float *r, __global const float *table, __global float *e, int n,
                           int size)
{
    int i = get_global_id(0);

    if (i < n) {
        float t = r[i] * size;
        int k = min(max((int)t, 0), size - 1);
        float a = t - k;

        e[i] = (1.0f - a) * table[k] + a * table[k + 1];
    }
}
