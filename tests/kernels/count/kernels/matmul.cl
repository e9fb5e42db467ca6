/* Matrix products of Stevens and Kloeckner 2020, section 2, with and without prefetching. */
#ifndef real
#define real float
#endif

__kernel void prefetching(__global const real *restrict a, __global const real *restrict b,
                          __global real *restrict c, int n)
{
    __local real a_fetch[16 * 16];
    __local real b_fetch[16 * 16];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int gx = get_group_id(0), gy = get_group_id(1);
    real acc = 0;

    for (int k_out = 0; k_out <= ((-16 + n) / 16); ++k_out) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a_fetch[16 * ly + lx] = GPUCAL_TAG(aLD, a[n * (16 * gy + ly) + 16 * k_out + lx]);
        b_fetch[16 * ly + lx] = GPUCAL_TAG(bLD, b[n * (16 * k_out + ly) + 16 * gx + lx]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k_in = 0; k_in <= 15; ++k_in)
            acc = acc + a_fetch[16 * ly + k_in] * b_fetch[16 * k_in + lx];
    }
    c[n * (16 * gy + ly) + 16 * gx + lx] = acc;
}

__kernel void plain(__global const real *a, __global const real *b, __global real *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    real acc = 0;

    for (int k = 0; k < n; k++)
        acc += a[n * row + k] * b[n * k + column];
    c[n * row + column] = acc;
}

/* Any n: rows and columns beyond it are left out, as in most codes. */
__kernel void guarded(__global const real *a, __global const real *b, __global real *c, int n)
{
    __local real ta[16][16], tb[16][16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    real acc = 0;

    for (int t = 0; t < (n + 15) / 16; t++) {
        ta[ly][lx] = row < n && 16 * t + lx < n ? a[row * n + 16 * t + lx] : 0;
        tb[ly][lx] = column < n && 16 * t + ly < n ? b[(16 * t + ly) * n + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            acc += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n)
        c[row * n + column] = acc;
}
