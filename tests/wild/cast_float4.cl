/* z = x * y + z on plain float arrays, four at a time through casts; the last n % 4
 * elements by the first work-items.
 */
__kernel void multiply_add(__global const float *x, __global const float *y,
                           __global float *z, uint n)
{
    uint i = get_global_id(0);

    if (i < n / 4) {
        float4 a = ((__global const float4 *)x)[i];
        float4 b = ((__global const float4 *)y)[i];
        ((__global float4 *)z)[i] = a * b + ((__global float4 *)z)[i];
    }
    if (i < n % 4) {
        uint j = n - 1 - i;
        z[j] = x[j] * y[j] + z[j];
    }
}
