/* min_plus_v2.cl with four neighbours in one load: the 8 x 8 results of a work-item are
 * next to each other (version V2v of Programming Parallel Computers, chapter 4).
 */
#define VECTOR_OF(type) type##4
#define VECTOR(type) VECTOR_OF(type)

__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v2v(__global T *r, __global const VECTOR(T) *d,
                           __global const VECTOR(T) *t, int n)
{
    int nn = (n + 63) / 64 * 64;
    int i0 = 64 * get_group_id(0) + 8 * get_local_id(0);
    int j0 = 64 * get_group_id(1) + 8 * get_local_id(1);
    T best[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            best[ib][jb] = (T)HUGE_VALF;
    for (int k = 0; k < n; ++k) {
        T x[8], y[8];

        for (int b = 0; b < 8; b += 4) {
            VECTOR(T) v = GPUCAL_TAG(tV2v, t[(nn * k + i0 + b) / 4]);
            VECTOR(T) w = GPUCAL_TAG(dV2v, d[(nn * k + j0 + b) / 4]);

            x[b] = v.x, x[b + 1] = v.y, x[b + 2] = v.z, x[b + 3] = v.w;
            y[b] = w.x, y[b + 1] = w.y, y[b + 2] = w.z, y[b + 3] = w.w;
        }
        for (int ib = 0; ib < 8; ++ib)
            for (int jb = 0; jb < 8; ++jb)
                best[ib][jb] = min(best[ib][jb], x[ib] + y[jb]);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            if (i0 + ib < n && j0 + jb < n)
                GPUCAL_TAG(rV2v, r[n * (i0 + ib) + j0 + jb]) = best[ib][jb];
}
