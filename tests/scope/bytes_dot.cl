/* Products of signed bytes, four in a load, summed in integers; a row for each work-item. */
__kernel void bytes_dot(__global const char4 *a, __global const char4 *x, __global int *y, int rows,
                        int quads)
{
    int i = get_global_id(0);

    if (i < rows) {
        int sum = 0;

        for (int k = 0; k < quads; k++) {
            char4 p = a[k * rows + i];
            char4 q = x[k];

            sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        }
        y[i] = sum;
    }
}
