/* dg_plain.cl's sum with tiles of diff_mat fetched into local memory (Stevens and Kloeckner
 * 2020, section 8.4, third variant).  TRANSPOSED lays u and res out with the elements along
 * the rows, so that neighbours in a sub-group access neighbours in memory (fourth variant).
 */
#define False 0 /* as the catalogue's arguments are written */
#define True 1
#if TRANSPOSED
#define U(k, j) GPUCAL_TAG(dgUDPFT, u[nelements * (j) + (k)])
#define RES(m, k, i) GPUCAL_TAG(dgRDPFT, res[nelements * (NODES * (m) + (i)) + (k)])
#define DIFF_MAT(m, i, j) GPUCAL_TAG(dgDPFT, diff_mat[NODES * (NODES * (m) + (i)) + (j)])
#else
#define U(k, j) GPUCAL_TAG(dgUDPF, u[NODES * (k) + (j)])
#define RES(m, k, i) GPUCAL_TAG(dgRDPF, res[NODES * (nelements * (m) + (k)) + (i)])
#define DIFF_MAT(m, i, j) GPUCAL_TAG(dgDPF, diff_mat[NODES * (NODES * (m) + (i)) + (j)])
#endif

__kernel void dg_diff_prefetch(__global T *res, __global const T *diff_mat,
                               __global const T *u, int nelements)
{
    __local T diff_fetch[TILE * TILE];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int k = TILE * get_group_id(0) + l0;
    int i = TILE * get_group_id(1) + l1;

    for (int m = 0; m < NMATRICES; ++m) {
        T acc = (T)0;

        for (int j_out = 0; j_out < NODES / TILE; ++j_out) {
            barrier(CLK_LOCAL_MEM_FENCE);
            diff_fetch[TILE * l1 + l0] = DIFF_MAT(m, i, TILE * j_out + l0);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int j_in = 0; j_in < TILE; ++j_in)
                acc = acc + diff_fetch[TILE * l1 + j_in] * U(k, TILE * j_out + j_in);
        }
        RES(m, k, i) = acc;
    }
}
