/* The product of a matrix of rows x columns, row by row, and a vector.  A work-group has
 * LANES work-items for each of BY * ROWS rows, a work-item ROWS of them, and loads WIDTH
 * numbers at a time.
 */
#if WIDTH == 1
#define VECTOR      float
#define LOAD(at, p) (p)[at]
#define SUM(v)      (v)
#elif WIDTH == 2
#define VECTOR      float2
#define LOAD(at, p) vload2(at, p)
#define SUM(v)      ((v).x + (v).y)
#else
#define VECTOR      float4
#define LOAD(at, p) vload4(at, p)
#define SUM(v)      ((v).x + (v).y + (v).z + (v).w)
#endif
#define STEP (LANES * WIDTH)

__kernel void gemv(__global const float *a, __global const float *x, __global float *y,
                   int columns)
{
    const int lane = get_local_id(0), own = get_local_id(1);
    const int first = ROWS * (BY * get_group_id(0) + own);
    VECTOR sum[ROWS];
    __local float parts[BY * ROWS][LANES];
#if X_LOCAL
    __local float part_of_x[STEP];
#endif

    for (int r = 0; r < ROWS; r++)
        sum[r] = 0.0f;
    for (int k = 0; k < columns; k += STEP) {
#if X_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = LANES * own + lane; i < STEP; i += LANES * BY)
            part_of_x[i] = x[k + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        const VECTOR v = LOAD(lane, part_of_x);
#else
        const VECTOR v = LOAD(lane, x + k);
#endif
        for (int r = 0; r < ROWS; r++)
            sum[r] += v * LOAD(lane, a + columns * (first + r) + k);
    }
    for (int r = 0; r < ROWS; r++)
        parts[ROWS * own + r][lane] = SUM(sum[r]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
        if (lane < apart)
            for (int r = 0; r < ROWS; r++)
                parts[ROWS * own + r][lane] += parts[ROWS * own + r][lane + apart];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        for (int r = 0; r < ROWS; r++)
            y[first + r] = parts[ROWS * own + r][0];
}
