/* The squared distances between M points and K centres of D coordinates, all of them one
 * point after the other (Haigh and McCreath 2015, section 3).  A work-group has N
 * work-items with F points each, dealt out in turn, and goes through the centres WIDTH at a
 * time.  Local memory may hold the points of a round, WIDTH centres, and the distances
 * between them, which are stored together at the end.  WIDTH is such that float32 with D =
 * 8 fits 48 KiB (all three together with N = 1024 need 64 bytes more), and K is a multiple
 * of it.  Each row in local memory has one element more, as rows a power of two apart share
 * banks.
 */
#define WIDTH                                                                            \
    (N * sizeof(T) <= 1024   ? 16                                                        \
     : N * sizeof(T) <= 2048 ? 8                                                         \
     : N * sizeof(T) <= 3072 ? 4                                                         \
                             : 2)

#if POINTS_LOCAL
#define POINT(d) points_s[(D + 1) * l + d]
#else
#define POINT(d) points[D * (first + l) + d]
#endif
#if CENTRES_LOCAL
#define CENTRE(k, d) centres_s[D * k + d]
#else
#define CENTRE(k, d) centres[D * (k0 + k) + d]
#endif
#if DISTANCES_LOCAL
#define DISTANCE(k) distances_s[(WIDTH + 1) * l + k]
#else
#define DISTANCE(k) distances[K * (first + l) + k0 + k]
#endif

__kernel void kmeans(__global const T *points, __global const T *centres,
                     __global T *distances, int M, int K)
{
    int l = get_local_id(0);
#if POINTS_LOCAL
    __local T points_s[N * (D + 1)];
#endif
#if CENTRES_LOCAL
    __local T centres_s[WIDTH * D];
#endif
#if DISTANCES_LOCAL
    __local T distances_s[N * (WIDTH + 1)];
#endif

    for (int f = 0; f < F; ++f) {
        int first = N * (F * get_group_id(0) + f);

#if POINTS_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int e = l; e < N * D; e += N)
            if (first + e / D < M)
                points_s[(D + 1) * (e / D) + e % D] = points[D * first + e];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int k0 = 0; k0 < K; k0 += WIDTH) {
#if CENTRES_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int e = l; e < WIDTH * D; e += N)
                centres_s[e] = centres[D * k0 + e];
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
            if (first + l < M)
                for (int k = 0; k < WIDTH; ++k) {
                    T sum = (T)0;

                    for (int d = 0; d < D; ++d) {
                        T way = POINT(d) - CENTRE(k, d);

                        sum = sum + way * way;
                    }
                    DISTANCE(k) = sum;
                }
#if DISTANCES_LOCAL
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int e = l; e < N * WIDTH; e += N)
                if (first + e / WIDTH < M)
                    distances[K * (first + e / WIDTH) + k0 + e % WIDTH] =
                        distances_s[(WIDTH + 1) * (e / WIDTH) + e % WIDTH];
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
    }
}
