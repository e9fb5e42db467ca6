/* c = a b, with b square and a of any number of rows: work that is divided among devices by
 * rows.  A work-item makes a block of ROWS rows of WIDTH columns: it uses each loaded element
 * of b ROWS times, and adjacent work-items load adjacent elements.
 */
#define OF_WIDTH(type, width) type##width
#define VECTOR_OF(type, width) OF_WIDTH(type, width)
#define V VECTOR_OF(T, WIDTH)

__kernel void matmul_rows(__global const T *a, __global const V *b, __global V *c, int n)
{
    int column = get_global_id(0);
    int row = ROWS * get_global_id(1);
    V sum[ROWS];

    for (int r = 0; r < ROWS; ++r)
        sum[r] = (V)0;
    for (int k = 0; k < n; ++k) {
        V b_k = GPUCAL_TAG(rowsB, b[n / WIDTH * k + column]);

        for (int r = 0; r < ROWS; ++r)
            sum[r] = sum[r] + GPUCAL_TAG(rowsA, a[n * (row + r) + k]) * b_k;
    }
    for (int r = 0; r < ROWS; ++r)
        GPUCAL_TAG(rowsC, c[n / WIDTH * (row + r) + column]) = sum[r];
}
