/* The min-plus product with 8 x 8 results per work-item, all in private variables: 16 loads
 * serve 64 steps (version V2 of Programming Parallel Computers, chapter 4).  't' is d
 * transposed; both have rows and columns padded to nn, the next multiple of 64, so that
 * nothing but stores is guarded.
 */
__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v2(__global T *r, __global const T *d, __global const T *t, int n)
{
    int nn = (n + 63) / 64 * 64;
    int i0 = 64 * get_group_id(0) + get_local_id(0);
    int j0 = 64 * get_group_id(1) + get_local_id(1);
    T best[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            best[ib][jb] = (T)HUGE_VALF;
    for (int k = 0; k < n; ++k) {
        T x[8], y[8];

        for (int ib = 0; ib < 8; ++ib)
            x[ib] = GPUCAL_TAG(tV2, t[nn * k + i0 + 8 * ib]);
        for (int jb = 0; jb < 8; ++jb)
            y[jb] = GPUCAL_TAG(dV2, d[nn * k + j0 + 8 * jb]);
        for (int ib = 0; ib < 8; ++ib)
            for (int jb = 0; jb < 8; ++jb)
                best[ib][jb] = min(best[ib][jb], x[ib] + y[jb]);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            if (i0 + 8 * ib < n && j0 + 8 * jb < n)
                GPUCAL_TAG(rV2, r[n * (i0 + 8 * ib) + j0 + 8 * jb]) = best[ib][jb];
}
