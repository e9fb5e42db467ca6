/* Both matrices by rows, so that each work-item reads two rows in vectors of four. */
__kernel void product_rows(__global const float4 *a, __global const float4 *b, __global float *c,
                           int n, int quarter)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    float4 sum = (float4)(0.0f);

    if (col >= n || row >= n)
        return;
    for (int k = 0; k < quarter; k++)
        sum += a[row * quarter + k] * b[col * quarter + k];
    c[row * n + col] = sum.x + sum.y + sum.z + sum.w;
}
