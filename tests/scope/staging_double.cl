#define SIDE 32 /* two matrices of 8 KB */

/* A matrix of doubles squared several times, from one place in local memory to another and
 * back, by 64 work-items. */
__kernel void staging_double(__global double *matrix, int squarings)
{
    __local double m[SIDE][SIDE], square[SIDE][SIDE];
    int l = get_local_id(0);
    int column = l % SIDE;
    int first = get_group_id(0) * SIDE * SIDE;

    for (int i = l / SIDE; i < SIDE; i += 2)
        m[i][column] = matrix[first + i * SIDE + column];
    for (int s = 0; s < squarings; s++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = l / SIDE; i < SIDE; i += 2) {
            double sum = 0.0;

            for (int k = 0; k < SIDE; k++)
                sum += m[i][k] * m[k][column];
            square[i][column] = 0.05 * sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = l / SIDE; i < SIDE; i += 2)
            m[i][column] = square[i][column];
    }
    for (int i = l / SIDE; i < SIDE; i += 2)
        matrix[first + i * SIDE + column] = m[i][column];
}
