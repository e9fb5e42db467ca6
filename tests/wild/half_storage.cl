/* Weights kept as half and computed with as float: y = gain x + y. */
__kernel void half_axpy(__global const half *x, __global half *y, float gain, int n)
{
    int i = get_global_id(0);

    if (4 * i + 3 < n) {
        float4 v = vload_half4(i, x);
        float4 w = vload_half4(i, y);
        vstore_half4(gain * v + w, i, y);
    } else {
        for (int k = 4 * i; k < n; k++)
            vstore_half(gain * vload_half(k, x) + vload_half(k, y), k, y);
    }
}
