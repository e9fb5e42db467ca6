/* c = a b for square matrices, row after row, whose width n is a multiple of 16: tiles of
 * 16 x 16 are fetched into local memory (seed 004 section 2.1).
 */
__kernel void matmul_tiled(__global const T *a, __global const T *b, __global T *c, int n)
{
    __local T a_fetch[16 * 16], b_fetch[16 * 16];
    int l0 = get_local_id(0);
    int l1 = get_local_id(1);
    int column = 16 * get_group_id(0) + l0;
    int row = 16 * get_group_id(1) + l1;
    T acc = (T)0;

    for (int k_out = 0; k_out < n / 16; ++k_out) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a_fetch[16 * l1 + l0] = GPUCAL_TAG(aPF, a[n * row + 16 * k_out + l0]);
        b_fetch[16 * l1 + l0] = GPUCAL_TAG(bPF, b[n * (16 * k_out + l1) + column]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k_in = 0; k_in < 16; ++k_in)
            acc = acc + a_fetch[16 * l1 + k_in] * b_fetch[16 * k_in + l0];
    }
    GPUCAL_TAG(cPF, c[n * row + column]) = acc;
}
