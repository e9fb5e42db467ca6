/* VALUES words of each work-item that are all needed until the end: in registers, or spilled
 * where there are not so many.
 */
__kernel void private_live(__global const float *in, __global float *result, int m)
{
    float v[VALUES], sum = 0.0f;

#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        v[i] = in[256 * i + get_local_id(0)];
    for (int k = 0; k < m; ++k) {
#pragma unroll
        for (int i = 0; i < VALUES; ++i)
            v[i] = v[i] * 0.5f + v[(i + 7) % VALUES];
    }
#pragma unroll
    for (int i = 0; i < VALUES; ++i)
        sum = sum + v[i];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
