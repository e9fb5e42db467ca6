/* c = a b for square matrices, row after row, whose width n is a multiple of TILE: tiles of
 * TILE x TILE are fetched into local memory (Stevens and Kloeckner 2020, section 2.1).  Without
 * GROUPS_FIT n is any width, and what lies outside of the matrices counts as 0.
 */
#define True 1 /* the values of GROUPS_FIT; False counts as 0 */
#if GROUPS_FIT
#define TILES n / TILE
#define INSIDE(row, column, value) value
#else
#define TILES ((n + TILE - 1) / TILE)
#define INSIDE(row, column, value) ((row) < n && (column) < n ? (value) : (T)0)
#endif

__kernel void matmul_tiled(__global const T *a, __global const T *b, __global T *c, int n)
{
    __local T a_fetch[TILE * TILE], b_fetch[TILE * TILE];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int column = TILE * get_group_id(0) + l0;
    int row = TILE * get_group_id(1) + l1;
    T acc = (T)0;

    for (int k_out = 0; k_out < TILES; ++k_out) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a_fetch[TILE * l1 + l0] =
            INSIDE(row, TILE * k_out + l0, GPUCAL_TAG(aPF, a[n * row + TILE * k_out + l0]));
        b_fetch[TILE * l1 + l0] =
            INSIDE(TILE * k_out + l1, column, GPUCAL_TAG(bPF, b[n * (TILE * k_out + l1) + column]));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k_in = 0; k_in < TILE; ++k_in)
            acc = acc + a_fetch[TILE * l1 + k_in] * b_fetch[TILE * k_in + l0];
    }
#if !GROUPS_FIT
    if (row < n && column < n)
#endif
        GPUCAL_TAG(cPF, c[n * row + column]) = acc;
}
