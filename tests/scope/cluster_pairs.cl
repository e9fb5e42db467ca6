/* Distances of all pairs of points with few dimensions, a point's in a row. */
__kernel void cluster_pairs(__global const float *a, __global const float *b, __global float *far,
                            int n, int dims)
{
    int j = get_global_id(0);
    int i = get_global_id(1);
    float sum = 0.0f;

    if (i >= n || j >= n)
        return;
    for (int d = 0; d < dims; d++) {
        float x = a[i * dims + d] - b[j * dims + d];

        sum = mad(x, x, sum);
    }
    far[i * n + j] = sqrt(sum);
}
