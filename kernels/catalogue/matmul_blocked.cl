/* c = a b for square matrices, row after row, in blocks of TILE x TILE that a work-group
 * fetches into local memory (Wang 2013, "blocked and cached").  The printed code adds up in
 * float what it keeps in double, and has no barrier before a tile is overwritten; here all
 * is of one type, and the barrier is there.
 */
__kernel void matmul_blocked(__global const T *a, __global const T *b, __global T *c,
                             int n)
{
    __local T a_tile[TILE][TILE];
    __local T b_tile[TILE][TILE];
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int row = get_group_id(1) * TILE + ly;
    int column = get_group_id(0) * TILE + lx;
    T sum = (T)0;

    for (int k = 0; k < n; k += TILE) {
        a_tile[ly][lx] = GPUCAL_TAG(aBlocked, a[row * n + lx + k]);
        b_tile[ly][lx] = GPUCAL_TAG(bBlocked, b[(ly + k) * n + column]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += a_tile[ly][i] * b_tile[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    GPUCAL_TAG(cBlocked, c[row * n + column]) = sum;
}
