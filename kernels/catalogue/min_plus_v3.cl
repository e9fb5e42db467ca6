/* min_plus_v2.cl with four rows of t and d at a time in local memory, where each element
 * is fetched once per work-group (version V3 of Programming Parallel Computers, chapter 4).
 */
__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v3(__global T *r, __global const T *d, __global const T *t, int n)
{
    __local T t_rows[4][64], d_rows[4][64];
    int nn = (n + 63) / 64 * 64;
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int item = 8 * l1 + l0;
    int left = 64 * get_group_id(0);
    int top = 64 * get_group_id(1);
    T best[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            best[ib][jb] = (T)HUGE_VALF;
    for (int k = 0; k < n; k += 4) {
        for (int f = 0; f < 4; ++f) {
            t_rows[f][item] = GPUCAL_TAG(tV3, t[nn * (k + f) + left + item]);
            d_rows[f][item] = GPUCAL_TAG(dV3, d[nn * (k + f) + top + item]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int f = 0; f < 4; ++f) {
            T y[8];

            for (int jb = 0; jb < 8; ++jb)
                y[jb] = d_rows[f][8 * jb + l1];
            for (int ib = 0; ib < 8; ++ib) {
                T x = t_rows[f][8 * ib + l0];

                for (int jb = 0; jb < 8; ++jb)
                    best[ib][jb] = min(best[ib][jb], x + y[jb]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            if (left + 8 * ib + l0 < n && top + 8 * jb + l1 < n)
                GPUCAL_TAG(rV3, r[n * (left + 8 * ib + l0) + top + 8 * jb + l1]) =
                    best[ib][jb];
}
