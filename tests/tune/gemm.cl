/* C = A B for square matrices of n rows: a work-group of WX x WY work-items has a tile of
 * TM x TN elements of C, and each work-item every WY-th row and every WX-th column of it,
 * in registers.  TK columns of A and rows of B are taken at a time, through local memory
 * if A_LOCAL or B_LOCAL.
 */
#define RM (TM / WY)
#define RN (TN / WX)

__kernel void gemm(__global const float *a, __global const float *b, __global float *c, int n)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = TM * get_group_id(1), column = TN * get_group_id(0);
    float sum[RM][RN];
#if A_LOCAL
    __local float a_tile[TM][TK + 1];
#endif
#if B_LOCAL
    __local float b_tile[TK][TN];
#endif

    for (int i = 0; i < RM; i++)
        for (int j = 0; j < RN; j++)
            sum[i][j] = 0.0f;

    for (int k0 = 0; k0 < n; k0 += TK) {
#if A_LOCAL
        for (int e = WX * y + x; e < TM * TK; e += WX * WY)
            a_tile[e / TK][e % TK] = a[n * (row + e / TK) + k0 + e % TK];
#endif
#if B_LOCAL
        for (int e = WX * y + x; e < TK * TN; e += WX * WY)
            b_tile[e / TN][e % TN] = b[n * (k0 + e / TN) + column + e % TN];
#endif
#if A_LOCAL || B_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int k = 0; k < TK; k++) {
            float of_a[RM];

            for (int i = 0; i < RM; i++)
#if A_LOCAL
                of_a[i] = a_tile[y + WY * i][k];
#else
                of_a[i] = a[n * (row + y + WY * i) + k0 + k];
#endif
            for (int j = 0; j < RN; j++) {
#if B_LOCAL
                const float of_b = b_tile[k][x + WX * j];
#else
                const float of_b = b[n * (k0 + k) + column + x + WX * j];
#endif
                for (int i = 0; i < RM; i++)
                    sum[i][j] += of_a[i] * of_b;
            }
        }
#if A_LOCAL || B_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int i = 0; i < RM; i++)
        for (int j = 0; j < RN; j++)
            c[n * (row + y + WY * i) + column + x + WX * j] = sum[i][j];
}
