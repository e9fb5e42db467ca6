/* y = a x for a matrix of M rows and K columns, column after column, so that the rows of
 * work-items side by side lie side by side (Haigh and McCreath 2015, section 3).  A
 * work-group has N work-items with F rows each, dealt out in turn.  With X_LOCAL it fetches
 * x into local memory first, FETCHED elements at a time; K is a multiple of that.
 */
#define FETCHED 64

__kernel void dense(__global const T *a, __global const T *x, __global T *y, int M, int K)
{
    int l = get_local_id(0);
    int first = N * F * get_group_id(0) + l;
    T sum[F];

#pragma unroll
    for (int f = 0; f < F; ++f)
        sum[f] = (T)0;
#if X_LOCAL
    __local T x_s[FETCHED];

    for (int k0 = 0; k0 < K; k0 += FETCHED) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = l; k < FETCHED; k += N)
            x_s[k] = x[k0 + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < FETCHED; ++k)
#pragma unroll
            for (int f = 0; f < F; ++f)
                if (first + N * f < M)
                    sum[f] = sum[f] + a[M * (k0 + k) + first + N * f] * x_s[k];
    }
#else
    for (int k = 0; k < K; ++k)
#pragma unroll
        for (int f = 0; f < F; ++f)
            if (first + N * f < M)
                sum[f] = sum[f] + a[M * k + first + N * f] * x[k];
#endif
#pragma unroll
    for (int f = 0; f < F; ++f)
        if (first + N * f < M)
            y[first + N * f] = sum[f];
}
