/* kernel: min_plus_v3; no macros
 *
 * V2 with four rows of t and d at a time in shared memory.
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void __launch_bounds__(64)
    min_plus_v3(float *r, const float *d, const float *t, int n)
{
    __shared__ float t_rows[4][64], d_rows[4][64];
    int ia = threadIdx.x, ja = threadIdx.y, ic = blockIdx.x, jc = blockIdx.y;
    int nn = (n + 63) / 64 * 64, ija = ja * 8 + ia;
    float v[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            v[ib][jb] = __int_as_float(0x7f800000);
    for (int ks = 0; ks < n; ks += 4) {
        for (int f = 0; f < 4; ++f) {
            int k = ks + f;
            t_rows[f][ija] = GPUCAL_TAG(tV3, t[nn * k + ic * 64 + ija]);
            d_rows[f][ija] = GPUCAL_TAG(dV3, d[nn * k + jc * 64 + ija]);
        }
        __syncthreads();
        for (int f = 0; f < 4; ++f) {
            float y[8];

            for (int jb = 0; jb < 8; ++jb)
                y[jb] = d_rows[f][jb * 8 + ja];
            for (int ib = 0; ib < 8; ++ib) {
                float x = t_rows[f][ib * 8 + ia];

                for (int jb = 0; jb < 8; ++jb)
                    v[ib][jb] = min(v[ib][jb], x + y[jb]);
            }
        }
        __syncthreads();
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb) {
            int i = ic * 64 + ib * 8 + ia;
            int j = jc * 64 + jb * 8 + ja;
            if (i < n && j < n)
                GPUCAL_TAG(rV3, r[n * i + j]) = v[ib][jb];
        }
}
