#define SIDE 56 /* 24.5 KB */

/* A matrix of doubles in local memory, raised to a power by 64 work-items. */
__kernel void staging_double(__global double *matrix, int squarings)
{
    __local double m[SIDE][SIDE];
    int l = get_local_id(0);
    int first = get_group_id(0) * SIDE * SIDE;
    double row[SIDE];

    for (int k = l; k < SIDE * SIDE; k += 64)
        m[k / SIDE][k % SIDE] = matrix[first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < squarings; s++) {
        if (l < SIDE)
            for (int j = 0; j < SIDE; j++) {
                double sum = 0.0;

                for (int k = 0; k < SIDE; k++)
                    sum += m[l][k] * m[k][j];
                row[j] = 0.03125 * sum;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < SIDE)
            for (int j = 0; j < SIDE; j++)
                m[l][j] = row[j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = l; k < SIDE * SIDE; k += 64)
        matrix[first + k] = m[k / SIDE][k % SIDE];
}
