/* One element of the product for each work-item, the inner size apart from the outer one. */
__kernel void product_plain(__global const float *a, __global const float *b, __global float *c,
                            int n, int k)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    float sum = 0.0f;

    if (col >= n || row >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}
