#define N 5

/* Derivatives along the three axes of elements with 5x5x5 points, in double: a plane of
 * work-items, the third axis in private memory. */
__kernel void tensor_gradient(__global const double *u, __global const double *d,
                              __global double *ur, __global double *us, __global double *ut)
{
    __local double plane[N][N], matrix[N][N];
    int i = get_local_id(0);
    int j = get_local_id(1);
    int base = get_group_id(0) * (N * N * N) + j * N + i;
    double column[N];

    matrix[j][i] = d[j * N + i];
    for (int k = 0; k < N; k++)
        column[k] = u[base + k * N * N];
    for (int k = 0; k < N; k++) {
        double r = 0.0;
        double s = 0.0;
        double t = 0.0;

        barrier(CLK_LOCAL_MEM_FENCE);
        plane[j][i] = column[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int m = 0; m < N; m++) {
            r += matrix[i][m] * plane[j][m];
            s += matrix[j][m] * plane[m][i];
            t += matrix[k][m] * column[m];
        }
        ur[base + k * N * N] = r;
        us[base + k * N * N] = s;
        ut[base + k * N * N] = t;
    }
}
