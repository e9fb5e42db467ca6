/* 8 x 8 work-items compute a tile of 64 x 64 results, 8 x 8 of them each, kept in private
 * memory.  't' is 'd' transposed; both are padded to nn, a multiple of 64.
 */
__kernel void min_plus_v2(__global float *r, __global const float *d,
                          __global const float *t, int n, int nn)
{
    int li = get_local_id(0);
    int lj = get_local_id(1);
    int gi = get_group_id(0);
    int gj = get_group_id(1);

    float best[8][8];
    for (int bi = 0; bi < 8; ++bi) {
        for (int bj = 0; bj < 8; ++bj) {
            best[bi][bj] = HUGE_VALF;
        }
    }
    for (int k = 0; k < n; ++k) {
        float rows[8];
        float cols[8];
        for (int bi = 0; bi < 8; ++bi) {
            int i = gi * 64 + bi * 8 + li;
            rows[bi] = t[nn * k + i];
        }
        for (int bj = 0; bj < 8; ++bj) {
            int j = gj * 64 + bj * 8 + lj;
            cols[bj] = d[nn * k + j];
        }
        for (int bi = 0; bi < 8; ++bi) {
            for (int bj = 0; bj < 8; ++bj) {
                best[bi][bj] = min(best[bi][bj], rows[bi] + cols[bj]);
            }
        }
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
