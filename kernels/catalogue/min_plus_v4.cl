/* min_plus_v3.cl with four neighbours in every load and store, of global and of local
 * memory: one load per array and work-item fills the four rows.  Rows of r have nn elements,
 * for aligned vectors (version V4 of Programming Parallel Computers, chapter 4).
 */
#define VECTOR_OF(type) type##4
#define VECTOR(type) VECTOR_OF(type)

__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void min_plus_v4(__global VECTOR(T) *r, __global const VECTOR(T) *d,
                          __global const VECTOR(T) *t, int n)
{
    __local VECTOR(T) t_rows[4][16], d_rows[4][16];
    int width = (n + 63) / 64 * 16; /* of a row, in vectors */
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int f_item = (8 * l1 + l0) / 16;
    int item = (8 * l1 + l0) % 16;
    int left = 16 * get_group_id(0);
    int top = 16 * get_group_id(1);
    T best[8][8];

    for (int ib = 0; ib < 8; ++ib)
        for (int jb = 0; jb < 8; ++jb)
            best[ib][jb] = (T)HUGE_VALF;
    for (int k = 0; k < n; k += 4) {
        t_rows[f_item][item] = GPUCAL_TAG(tV4, t[width * (k + f_item) + left + item]);
        d_rows[f_item][item] = GPUCAL_TAG(dV4, d[width * (k + f_item) + top + item]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int f = 0; f < 4; ++f) {
            T x[8], y[8];

            for (int b = 0; b < 2; ++b) {
                VECTOR(T) v = t_rows[f][2 * l0 + b];
                VECTOR(T) w = d_rows[f][2 * l1 + b];

                x[4 * b] = v.x, x[4 * b + 1] = v.y;
                x[4 * b + 2] = v.z, x[4 * b + 3] = v.w;
                y[4 * b] = w.x, y[4 * b + 1] = w.y;
                y[4 * b + 2] = w.z, y[4 * b + 3] = w.w;
            }
            for (int ib = 0; ib < 8; ++ib)
                for (int jb = 0; jb < 8; ++jb)
                    best[ib][jb] = min(best[ib][jb], x[ib] + y[jb]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ib = 0; ib < 8; ++ib)
        for (int b = 0; b < 2; ++b) {
            int i = 4 * left + 8 * l0 + ib;
            int j = top + 2 * l1 + b;

            if (i < n && 4 * j < n)
                GPUCAL_TAG(rV4, r[width * i + j]) =
                    (VECTOR(T))(best[ib][4 * b], best[ib][4 * b + 1], best[ib][4 * b + 2],
                                best[ib][4 * b + 3]);
        }
}
