/* C = A B, four columns of C a work-item as one float4. */
__kernel void gemm_vec4(__global const float *a, __global const float4 *b,
                        __global float4 *c, const uint n, const uint k)
{
    const uint col = get_global_id(0); /* of float4 */
    const uint row = get_global_id(1);
    const uint width = n >> 2;
    float4 sum = (float4)(0.0f);

    for (uint i = 0; i < k; ++i)
        sum = mad((float4)(a[row * k + i]), b[i * width + col], sum);

    c[row * width + col] = sum;
}
