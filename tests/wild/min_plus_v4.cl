/* V3 with every transfer a float4: d and t come as float4, one load a work-item fills
 * both tiles, and the result's rows are nn long so that stores are aligned.
 */
__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v4(__global float4 *r, __global const float4 *d,
                          __global const float4 *t, int n, int nn)
{
    int li = get_local_id(0);
    int lj = get_local_id(1);
    int gi = get_group_id(0);
    int gj = get_group_id(1);
    __local float4 tile_t[4][16];
    __local float4 tile_d[4][16];
    int n4 = nn / 4;

    float best[8][8];
    for (int bi = 0; bi < 8; ++bi) {
        for (int bj = 0; bj < 8; ++bj) {
            best[bi][bj] = HUGE_VALF;
        }
    }
    for (int k0 = 0; k0 < n; k0 += 4) {
        int item = lj * 8 + li;
        int lane = item % 16;
        int row = item / 16;
        int i = gi * 16 + lane;
        int j = gj * 16 + lane;
        tile_t[row][lane] = t[n4 * (k0 + row) + i];
        tile_d[row][lane] = d[n4 * (k0 + row) + j];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            float rows[8];
            float cols[8];
            for (int b = 0; b < 2; ++b) {
                float4 u = tile_t[row][2 * li + b];
                float4 v = tile_d[row][2 * lj + b];
                rows[4 * b + 0] = u.x;
                rows[4 * b + 1] = u.y;
                rows[4 * b + 2] = u.z;
                rows[4 * b + 3] = u.w;
                cols[4 * b + 0] = v.x;
                cols[4 * b + 1] = v.y;
                cols[4 * b + 2] = v.z;
                cols[4 * b + 3] = v.w;
            }
            for (int bi = 0; bi < 8; ++bi) {
                for (int bj = 0; bj < 8; ++bj) {
                    best[bi][bj] = min(best[bi][bj], rows[bi] + cols[bj]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int bi = 0; bi < 8; ++bi) {
        int i = gi * 64 + li * 8 + bi;
        for (int bj = 0; bj < 8; bj += 4) {
            int j = gj * 16 + lj * 2 + bj / 4;
            if (i < n && 4 * j < n) {
                r[n4 * i + j] = (float4)(best[bi][bj], best[bi][bj + 1], best[bi][bj + 2],
                                         best[bi][bj + 3]);
            }
        }
    }
}
