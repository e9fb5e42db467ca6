/* kernel: min_plus_v0; no macros
 *
 * The shortest way of two steps: threads of a warp have rows of their own (V0).
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void min_plus_v0(float *r, const float *d, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;

    if (i >= n || j >= n)
        return;
    float v = __int_as_float(0x7f800000);
    for (int k = 0; k < n; ++k) {
        float x = GPUCAL_TAG(rowV0, d[n * i + k]);
        float y = GPUCAL_TAG(columnV0, d[n * k + j]);
        v = min(v, x + y);
    }
    GPUCAL_TAG(rV0, r[n * i + j]) = v;
}
