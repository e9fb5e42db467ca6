/* y = alpha A x + beta B x. */
__kernel void gesummv(const int n, const float alpha, const float beta,
                      __global const float *A, __global const float *B,
                      __global const float *x, __global float *y)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    float sa = 0.f, sb = 0.f;
    int j = n;

    if (i >= n) return;

    /* from the end to the front */
    while (j-- > 0) {
        sa = fma(A[i * n + j], x[j], sa);
        sb = fma(B[i * n + j], x[j], sb);
    }
    y[i] = alpha * sa + beta * sb;
}
