/* c = a b for some rows of a and c: work-item (x, y) computes rows 8 y to 8 y + 7 of 16 columns.
 * The offset of the NDRange selects the rows of a device.
 */
#define ROWS 8

__kernel void rows(__global const float *a, __global const float16 *b,
                   __global float16 *c, int n)
{
    int column = get_global_id(0);
    int row = ROWS * get_global_id(1);
    float16 sum[ROWS];

    for (int r = 0; r < ROWS; ++r)
        sum[r] = (float16)0;
    for (int k = 0; k < n; ++k) {
        float16 b_k = b[n / 16 * k + column];

        for (int r = 0; r < ROWS; ++r)
            sum[r] = sum[r] + a[n * (row + r) + k] * b_k;
    }
    for (int r = 0; r < ROWS; ++r)
        c[n / 16 * (row + r) + column] = sum[r];
}
