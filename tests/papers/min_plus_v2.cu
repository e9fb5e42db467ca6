/* kernel: min_plus_v2; no macros
 *
 * 8 x 8 results of a thread, in registers; t is d transposed, both padded to multiples of 64.
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void __launch_bounds__(64)
    min_plus_v2(float *r, const float *d, const float *t, int n)
{
    int ia = threadIdx.x, ja = threadIdx.y, ic = blockIdx.x, jc = blockIdx.y;
    int nn = (n + 63) / 64 * 64;
    float v[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            v[ib][jb] = __int_as_float(0x7f800000);
    for (int k = 0; k < n; ++k) {
        float x[8], y[8];

        for (int ib = 0; ib < 8; ++ib) {
            int i = ic * 64 + ib * 8 + ia;
            x[ib] = GPUCAL_TAG(tV2, t[nn * k + i]);
        }
        for (int jb = 0; jb < 8; ++jb) {
            int j = jc * 64 + jb * 8 + ja;
            y[jb] = GPUCAL_TAG(dV2, d[nn * k + j]);
        }
        for (int ib = 0; ib < 8; ++ib)
            for (int jb = 0; jb < 8; ++jb)
                v[ib][jb] = min(v[ib][jb], x[ib] + y[jb]);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb) {
            int i = ic * 64 + ib * 8 + ia;
            int j = jc * 64 + jb * 8 + ja;
            if (i < n && j < n)
                GPUCAL_TAG(rV2, r[n * i + j]) = v[ib][jb];
        }
}
