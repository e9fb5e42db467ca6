/* res[m,k,i] = sum over j of diff_mat[m,i,j] u[k,j]: differentiation of polynomials on the
 * elements k of a DG mesh, straight from global memory (Stevens and Kloeckner 2020, section
 * 8.4, the first of four variants).
 */
__kernel void dg_plain(__global T *res, __global const T *diff_mat, __global const T *u,
                       int nelements)
{
    int k = LSIZE_0 * get_group_id(0) + get_local_id(0);
    int i = LSIZE_1 * get_group_id(1) + get_local_id(1);

    for (int m = 0; m < NMATRICES; ++m) {
        T acc = (T)0;

        for (int j = 0; j < NODES; ++j)
            acc = acc + GPUCAL_TAG(dgDNoPF, diff_mat[NODES * (NODES * m + i) + j]) *
                            GPUCAL_TAG(dgUNoPF, u[NODES * k + j]);
        GPUCAL_TAG(dgRNoPF, res[NODES * (nelements * m + k) + i]) = acc;
    }
}
