/* An image of width x height convolved with a filter of 2 R + 1 rows and columns; the
 * input has R more at each side.  A work-group of BX x BY work-items has a tile of
 * BX TX x BY TY pixels, of which each work-item has every BX-th column and BY-th row.
 */
#define SIDE   (2 * R + 1)
#define WIDTH  (BX * TX)
#define HEIGHT (BY * TY)
#define PITCH  (WIDTH + 2 * R + PAD)

#if FILTER_CONSTANT
#define FILTER __constant
#else
#define FILTER __global
#endif

__kernel void convolve(__global const float *in, FILTER const float *filter,
                       __global float *out, int width, int height)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int x0 = WIDTH * get_group_id(0), y0 = HEIGHT * get_group_id(1);
    const int pitch = width + 2 * R;
    float sum[TY][TX];
#if IN_LOCAL
    __local float tile[(HEIGHT + 2 * R) * PITCH];

    for (int j = y; j < HEIGHT + 2 * R; j += BY)
        for (int i = x; i < WIDTH + 2 * R; i += BX)
            tile[PITCH * j + i] = in[pitch * (y0 + j) + x0 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
#define IN(i, j) tile[PITCH * (j) + (i)]
#else
#define IN(i, j) in[pitch * (y0 + (j)) + x0 + (i)]
#endif

    for (int j = 0; j < TY; j++)
        for (int i = 0; i < TX; i++)
            sum[j][i] = 0.0f;
#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++) {
            const float weight = filter[SIDE * v + u];

            for (int j = 0; j < TY; j++)
                for (int i = 0; i < TX; i++)
                    sum[j][i] += weight * IN(x + BX * i + u, y + BY * j + v);
        }
    for (int j = 0; j < TY; j++)
        for (int i = 0; i < TX; i++)
            out[width * (y0 + y + BY * j) + x0 + x + BX * i] = sum[j][i];
}
