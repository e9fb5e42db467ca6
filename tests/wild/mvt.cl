/* x1 += A y1 and x2 += A^T y2 for a square A. */
#define A(i, j) a[(i) * lda + (j)]

__kernel void mvt_rows(__global const float *a, __global float *x1,
                       __global const float *y1, int n, int lda)
{
    int i = get_global_id(0);
    if (i < n) {
        float t = x1[i];
        for (int j = 0; j < n; j++)
            t += A(i, j) * y1[j];
        x1[i] = t;
    }
}

__kernel void mvt_columns(__global const float *a, __global float *x2,
                          __global const float *y2, int n, int lda)
{
    int i = get_global_id(0);
    if (i < n) {
        float t = x2[i];
        for (int j = 0; j < n; j++)
            t += A(j, i) * y2[j];
        x2[i] = t;
    }
}
