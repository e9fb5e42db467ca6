/* A blocked LU decomposition, block step 'offset': the diagonal block by one work-group,
 * the blocks beside and below it, then all others.
 */
#define BS 8

__kernel void lud_diagonal(__global float *m, int matrix_dim, int offset)
{
    __local float block[BS][BS];
    int row = get_local_id(0);
    int at = offset * matrix_dim + offset;

    for (int i = 0; i < BS; i++) {
        block[i][row] = m[at + row];
        at += matrix_dim;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int k = 0; k < BS - 1; k++) {
        if (row > k) {
            block[row][k] /= block[k][k];
            for (int j = k + 1; j < BS; j++)
                block[row][j] -= block[row][k] * block[k][j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = BS - 1; i > 0; i--) {
        at -= matrix_dim;
        m[at + row] = block[i][row];
    }
}

/* Half of the work-items solve for a block to the right, the others for one below. */
__kernel void lud_perimeter(__global float *m, int matrix_dim, int offset)
{
    __local float diagonal[BS][BS];
    __local float beside[BS][BS];
    __local float below[BS][BS];
    int bx = get_group_id(0);
    int tx = get_local_id(0);
    int k = tx < BS ? tx : tx - BS;
    int next = offset + (bx + 1) * BS;

    if (tx < BS) {
        for (int i = 0; i < BS; i++)
            beside[i][k] = m[(offset + i) * matrix_dim + next + k];
        for (int i = 0; i < BS / 2; i++)
            diagonal[i][k] = m[(offset + i) * matrix_dim + offset + k];
    } else {
        for (int i = 0; i < BS; i++)
            below[i][k] = m[(next + i) * matrix_dim + offset + k];
        for (int i = BS / 2; i < BS; i++)
            diagonal[i][k] = m[(offset + i) * matrix_dim + offset + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (tx < BS) {
        for (int i = 1; i < BS; i++)
            for (int j = 0; j < i; j++)
                beside[i][k] -= diagonal[i][j] * beside[j][k];
    } else {
        for (int i = 0; i < BS; i++) {
            for (int j = 0; j < i; j++)
                below[k][i] -= below[k][j] * diagonal[j][i];
            below[k][i] /= diagonal[i][i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (tx < BS) {
        for (int i = 1; i < BS; i++)
            m[(offset + i) * matrix_dim + next + k] = beside[i][k];
    } else {
        for (int i = 0; i < BS; i++)
            m[(next + i) * matrix_dim + offset + k] = below[i][k];
    }
}

__kernel void lud_internal(__global float *m, int matrix_dim, int offset)
{
    __local float above[BS * BS];
    __local float before[BS * BS];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = offset + (get_group_id(1) + 1) * BS;
    int col = offset + (get_group_id(0) + 1) * BS;

    above[ty * BS + tx] = m[(offset + ty) * matrix_dim + col + tx];
    before[ty * BS + tx] = m[(row + ty) * matrix_dim + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0;
    for (int i = 0; i < BS; i++)
        sum += before[ty * BS + i] * above[i * BS + tx];
    m[(row + ty) * matrix_dim + col + tx] -= sum;
}
