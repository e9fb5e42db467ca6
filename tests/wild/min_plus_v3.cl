/* V2 with four rows of each matrix at a time fetched into local memory by all 64
 * work-items together.
 */
__kernel void min_plus_v3(__global float *r, __global const float *d,
                          __global const float *t, int n, int nn)
{
    int li = get_local_id(0);
    int lj = get_local_id(1);
    int gi = get_group_id(0);
    int gj = get_group_id(1);
    __local float tile_t[4][64];
    __local float tile_d[4][64];

    float best[8][8];
    for (int bi = 0; bi < 8; ++bi) {
        for (int bj = 0; bj < 8; ++bj) {
            best[bi][bj] = HUGE_VALF;
        }
    }
    for (int k0 = 0; k0 < n; k0 += 4) {
        int lane = lj * 8 + li;
        int i = gi * 64 + lane;
        int j = gj * 64 + lane;
        for (int row = 0; row < 4; ++row) {
            int k = k0 + row;
            tile_t[row][lane] = t[nn * k + i];
            tile_d[row][lane] = d[nn * k + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            float cols[8];
            for (int bj = 0; bj < 8; ++bj) {
                cols[bj] = tile_d[row][bj * 8 + lj];
            }
            for (int bi = 0; bi < 8; ++bi) {
                float rows = tile_t[row][bi * 8 + li];
                for (int bj = 0; bj < 8; ++bj) {
                    best[bi][bj] = min(best[bi][bj], rows + cols[bj]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int bi = 0; bi < 8; ++bi) {
        for (int bj = 0; bj < 8; ++bj) {
            int i = gi * 64 + bi * 8 + li;
            int j = gj * 64 + bj * 8 + lj;
            if (i < n && j < n) {
                r[n * i + j] = best[bi][bj];
            }
        }
    }
}
