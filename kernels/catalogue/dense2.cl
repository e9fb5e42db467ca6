/* y = a x for a matrix of M rows and K columns, row after row, so that work-items side by
 * side load elements K apart (Haigh and McCreath 2015, section 3).  A work-group has N
 * work-items with F rows each, dealt out in turn.  With A_LOCAL it fetches the rows of a
 * round into local memory first, WIDTH columns at a time: as many as 48 KiB hold; K is a
 * multiple of that.  Each row has one more element there: rows a power of two apart share
 * banks.
 */
#define WIDTH                                                                            \
    (N * sizeof(T) <= 1024   ? 32                                                        \
     : N * sizeof(T) <= 2048 ? 16                                                        \
     : N * sizeof(T) <= 4096 ? 8                                                         \
                             : 4)

__kernel void dense2(__global const T *a, __global const T *x, __global T *y, int M,
                     int K)
{
    int l = get_local_id(0);
#if A_LOCAL
    __local T a_s[N * (WIDTH + 1)];
#endif

    for (int f = 0; f < F; ++f) {
        int first = N * (F * get_group_id(0) + f);
        T sum = (T)0;

#if A_LOCAL
        for (int k0 = 0; k0 < K; k0 += WIDTH) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int e = l; e < N * WIDTH; e += N)
                if (first + e / WIDTH < M)
                    a_s[(WIDTH + 1) * (e / WIDTH) + e % WIDTH] =
                        a[K * (first + e / WIDTH) + k0 + e % WIDTH];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (first + l < M)
                for (int k = 0; k < WIDTH; ++k)
                    sum = sum + a_s[(WIDTH + 1) * l + k] * x[k0 + k];
        }
#else
        if (first + l < M)
            for (int k = 0; k < K; ++k)
                sum = sum + a[K * (first + l) + k] * x[k];
#endif
        if (first + l < M)
            y[first + l] = sum;
    }
}
