/* A dot product a work-item, unrolled by hand by four with a loop for the rest; and a
 * polynomial with the compiler asked to unroll.
 */
#define DEGREE 7

__constant float coefficient[DEGREE + 1] = {
    1.0f, -0.5f, 0.25f, 2.0f, 0.75f, 1.5f, -1.0f, 0.125f,
};

__kernel void dot_unroll(__global const float *a, __global const float *b,
                         __global float *r, int n, int rows)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    __global const float *p = a + row * n;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    int i;

    for (i = 0; i <= n - 4; i += 4) {
        s0 += p[i] * b[i];
        s1 += p[i + 1] * b[i + 1];
        s2 += p[i + 2] * b[i + 2];
        s3 += p[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += p[i] * b[i];
    r[row] = (s0 + s1) + (s2 + s3);
}

__kernel void polynomial(__global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float v = x[i], p = coefficient[DEGREE];

    #pragma unroll DEGREE
    for (int k = DEGREE - 1; k >= 0; k--)
        p = p * v + coefficient[k];
    y[i] = p;
}
