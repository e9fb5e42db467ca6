/* Forward substitution, a right side for each work-item: a recurrence over the rows. */
__kernel void forward(__global const float *l, __global const float *inverse, __global float *x,
                      int n, int sides)
{
    int j = get_global_id(0);

    if (j >= sides)
        return;
    for (int i = 0; i < n; i++) {
        float sum = x[i * sides + j];

        for (int k = 0; k < i; k++)
            sum -= l[i * n + k] * x[k * sides + j];
        x[i * sides + j] = sum * inverse[i];
    }
}
