/* V3 with every transfer a float4: d and t come as float4, one load a work-item fills
 * both tiles, and the result's rows are nn long so that stores are aligned.
 */
__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v4(__global float4 *r, __global const float4 *d,
                          __global const float4 *t, int n, int nn)
{
    int ia = get_local_id(0);
    int ja = get_local_id(1);
    int ic = get_group_id(0);
    int jc = get_group_id(1);
    __local float4 xx[4][16];
    __local float4 yy[4][16];
    int nv = nn / 4;

    float v[8][8];
    for (int ib = 0; ib < 8; ++ib) {
        for (int jb = 0; jb < 8; ++jb) {
            v[ib][jb] = HUGE_VALF;
        }
    }
    for (int ks = 0; ks < n; ks += 4) {
        int lin = ja * 8 + ia;
        int ija = lin % 16;
        int f = lin / 16;
        int i = ic * 16 + ija;
        int j = jc * 16 + ija;
        xx[f][ija] = t[nv * (ks + f) + i];
        yy[f][ija] = d[nv * (ks + f) + j];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int f = 0; f < 4; ++f) {
            float x[8];
            float y[8];
            for (int b = 0; b < 2; ++b) {
                float4 p = xx[f][2 * ia + b];
                float4 q = yy[f][2 * ja + b];
                x[4 * b + 0] = p.x;
                x[4 * b + 1] = p.y;
                x[4 * b + 2] = p.z;
                x[4 * b + 3] = p.w;
                y[4 * b + 0] = q.x;
                y[4 * b + 1] = q.y;
                y[4 * b + 2] = q.z;
                y[4 * b + 3] = q.w;
            }
            for (int ib = 0; ib < 8; ++ib) {
                for (int jb = 0; jb < 8; ++jb) {
                    v[ib][jb] = min(v[ib][jb], x[ib] + y[jb]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ib = 0; ib < 8; ++ib) {
        int i = ic * 64 + ia * 8 + ib;
        for (int jb = 0; jb < 8; jb += 4) {
            int j = jc * 16 + ja * 2 + jb / 4;
            if (i < n && 4 * j < n) {
                float4 w = { v[ib][jb], v[ib][jb + 1], v[ib][jb + 2], v[ib][jb + 3] };
                r[nv * i + j] = w;
            }
        }
    }
}
