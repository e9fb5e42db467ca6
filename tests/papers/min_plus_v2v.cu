/* kernel: min_plus_v2v; no macros
 *
 * V2 with loads of float4: the 8 x 8 results of a thread lie together.
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void __launch_bounds__(64)
    min_plus_v2v(float *r, const float4 *d, const float4 *t, int n)
{
    int ia = threadIdx.x, ja = threadIdx.y, ic = blockIdx.x, jc = blockIdx.y;
    int nn = (n + 63) / 64 * 64;
    float v[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            v[ib][jb] = __int_as_float(0x7f800000);
    for (int k = 0; k < n; ++k) {
        float x[8], y[8];

        for (int b = 0; b < 8; b += 4) {
            float4 p = GPUCAL_TAG(tV2v, t[(nn * k + ic * 64 + ia * 8 + b) / 4]);
            float4 q = GPUCAL_TAG(dV2v, d[(nn * k + jc * 64 + ja * 8 + b) / 4]);

            x[b + 0] = p.x;
            x[b + 1] = p.y;
            x[b + 2] = p.z;
            x[b + 3] = p.w;
            y[b + 0] = q.x;
            y[b + 1] = q.y;
            y[b + 2] = q.z;
            y[b + 3] = q.w;
        }
        for (int ib = 0; ib < 8; ++ib)
            for (int jb = 0; jb < 8; ++jb)
                v[ib][jb] = min(v[ib][jb], x[ib] + y[jb]);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb) {
            int i = ic * 64 + ia * 8 + ib;
            int j = jc * 64 + ja * 8 + jb;
            if (i < n && j < n)
                GPUCAL_TAG(rV2v, r[n * i + j]) = v[ib][jb];
        }
}
