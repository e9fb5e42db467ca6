/* A row for each work-item, in vectors of four: neighbours are a row apart. */
__kernel void row_of_vectors(__global const float4 *a, __global const float4 *x, __global float *y,
                             int rows, int quads)
{
    int i = get_global_id(0);
    float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);

    if (i >= rows)
        return;
    for (int j = 0; j < quads; j++)
        sum = fma(a[i * quads + j], x[j], sum);
    y[i] = sum.x + sum.y + sum.z + sum.w;
}
