/* Insertion without branches; columns of all rows lie together. */
__kernel void best_eight(__global const float *x, __global float *best, int rows, int width)
{
    int r = get_global_id(0);
    float list[8];

    if (r >= rows)
        return;
    for (int k = 0; k < 8; k++)
        list[k] = -INFINITY;
    for (int c = 0; c < width; c++) {
        float v = x[c * rows + r];

        for (int k = 0; k < 8; k++) {
            float low = fmin(list[k], v);

            list[k] = fmax(list[k], v);
            v = low;
        }
    }
    for (int k = 0; k < 8; k++)
        best[k * rows + r] = list[k];
}
