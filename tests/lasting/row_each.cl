__kernel void row_each(__global const float *a, __global float *norm, int rows, int columns)
{
    int r = get_global_id(0);

    if (r >= rows)
        return;
    float sum = 0;

    for (int c = 0; c < columns; c++)
        sum += a[(long)r * columns + c] * a[(long)r * columns + c];
    norm[r] = sqrt(sum);
}
