/* kernel: min_plus_v4; no macros
 *
 * V3 with float4 in every load and store, of global and of shared memory; rows of r are padded, too.
 */

#ifndef GPUCAL_TAG /* compilers know no tags */
#define GPUCAL_TAG(name, access) (access)
#endif

__global__ void __launch_bounds__(64)
    min_plus_v4(float4 *r, const float4 *d, const float4 *t, int n)
{
    __shared__ float4 t_rows[4][16], d_rows[4][16];
    int ia = threadIdx.x, ja = threadIdx.y, ic = blockIdx.x, jc = blockIdx.y;
    int width = (n + 63) / 64 * 16;
    int f_own = (ja * 8 + ia) / 16, ija = (ja * 8 + ia) % 16;
    float v[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            v[ib][jb] = __int_as_float(0x7f800000);
    for (int ks = 0; ks < n; ks += 4) {
        t_rows[f_own][ija] = GPUCAL_TAG(tV4, t[width * (ks + f_own) + ic * 16 + ija]);
        d_rows[f_own][ija] = GPUCAL_TAG(dV4, d[width * (ks + f_own) + jc * 16 + ija]);
        __syncthreads();
        for (int f = 0; f < 4; ++f) {
            float x[8], y[8];

            for (int b = 0; b < 2; ++b) {
                float4 p = t_rows[f][2 * ia + b], q = d_rows[f][2 * ja + b];

                x[4 * b + 0] = p.x;
                x[4 * b + 1] = p.y;
                x[4 * b + 2] = p.z;
                x[4 * b + 3] = p.w;
                y[4 * b + 0] = q.x;
                y[4 * b + 1] = q.y;
                y[4 * b + 2] = q.z;
                y[4 * b + 3] = q.w;
            }
            for (int ib = 0; ib < 8; ++ib)
                for (int jb = 0; jb < 8; ++jb)
                    v[ib][jb] = min(v[ib][jb], x[ib] + y[jb]);
        }
        __syncthreads();
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int b = 0; b < 2; ++b) {
            int i = ic * 64 + ia * 8 + ib;
            int j = jc * 16 + ja * 2 + b;
            if (i < n && 4 * j < n)
                GPUCAL_TAG(rV4, r[width * i + j]) = make_float4(
                    v[ib][4 * b], v[ib][4 * b + 1], v[ib][4 * b + 2], v[ib][4 * b + 3]);
        }
}
