/* kernel: min_plus_v1; no macros
 *
 * V0 with the axes exchanged: threads of a warp read and write neighbours.
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void min_plus_v1(float *r, const float *d, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;

    if (i >= n || j >= n)
        return;
    float v = __int_as_float(0x7f800000);
    for (int k = 0; k < n; ++k) {
        float x = GPUCAL_TAG(rowV1, d[n * j + k]);
        float y = GPUCAL_TAG(columnV1, d[n * k + i]);
        v = min(v, x + y);
    }
    GPUCAL_TAG(rV1, r[n * j + i]) = v;
}
