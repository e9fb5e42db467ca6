/* dg_plain.cl's sum with tiles of u fetched into local memory.  All matrices are applied to
 * a tile while it is there, the one to the result of another independent of it: their sums
 * stay in private variables (Stevens and Kloeckner 2020, section 8.4, the second variant).
 */
__kernel void dg_u_prefetch(__global T *res, __global const T *diff_mat,
                            __global const T *u, int nelements)
{
    __local T u_fetch[TILE * TILE];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int k = TILE * get_group_id(0) + l0;
    int i = TILE * get_group_id(1) + l1;
    T acc[NMATRICES];

    for (int m = 0; m < NMATRICES; ++m)
        acc[m] = (T)0;
    for (int j_out = 0; j_out < NODES / TILE; ++j_out) {
        barrier(CLK_LOCAL_MEM_FENCE);
        u_fetch[TILE * l1 + l0] = GPUCAL_TAG(
            dgUPF, u[NODES * (TILE * get_group_id(0) + l1) + TILE * j_out + l0]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j_in = 0; j_in < TILE; ++j_in)
            for (int m = 0; m < NMATRICES; ++m)
                acc[m] = acc[m] + GPUCAL_TAG(dgDUPF, diff_mat[NODES * (NODES * m + i) +
                                                              TILE * j_out + j_in]) *
                                      u_fetch[TILE * l0 + j_in];
    }
    for (int m = 0; m < NMATRICES; ++m)
        GPUCAL_TAG(dgRUPF, res[NODES * (nelements * m + k) + i]) = acc[m];
}
