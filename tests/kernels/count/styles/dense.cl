/* dense.cl - linear algebra on dense matrices */

//: kernel gemv_rows
//: local 64
//: global 64*ceil(m/64)
//: at m=70 n=9
//: at m=64 n=20
kernel void gemv_rows(global const float *a, global const float *x, global float *y, float alpha,
                      float beta, int m, int n)
{
    int row = get_global_id(0);

    if (row < m) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * x[k];
        y[row] = alpha * sum + beta * y[row];
    }
}

//: kernel gemv_group_row
//: local 64
//: global 64*m
//: at m=3 n=100
//: at m=2 n=256
kernel void gemv_group_row(global const float *a, global const float *x, global float *y, int n)
{
    local float t[64];
    int l = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;

    for (int k = l; k < n; k += 64)
        sum += a[row * n + k] * x[k];
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[row] = t[0];
}

//: kernel symv_lower
//: local 32
//: global 32*ceil(n/32)
//: at n=20
//: at n=64
kernel void symv_lower(global const float *a, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int j = 0; j <= i; j++)
        sum += a[i * n + j] * x[j];
    for (int j = i + 1; j < n; j++)
        sum += a[j * n + i] * x[j];
    y[i] = sum;
}

//: kernel syrk_lower
//: local 8,8
//: global 8*ceil(n/8),8*ceil(n/8)
//: at n=12 k=5
//: at n=16 k=8
kernel void syrk_lower(global const float *a, global float *c, int n, int k)
{
    int i = get_global_id(1), j = get_global_id(0);

    if (i < n && j <= i) {
        float sum = 0.0f;
        for (int l = 0; l < k; l++)
            sum = fma(a[i * k + l], a[j * k + l], sum);
        c[i * n + j] += sum;
    }
}

//: kernel trsv_columns
//: local 64
//: global 64
//: at n=40
//: at n=64
//: assume n <= 64
kernel void trsv_columns(global const float *a, global float *x, int n)
{
    int i = get_local_id(0);

    for (int j = 0; j < n; j++) {
        if (i == j)
            x[j] /= a[j * n + j];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i > j && i < n)
            x[i] -= a[i * n + j] * x[j];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//: kernel cholesky_column
//: local 32
//: global 32*ceil(n/32)
//: at n=20 k=3
//: at n=40 k=0
//: assume k >= 0 and k < n
kernel void cholesky_column(global double *a, int n, int k)
{
    int i = get_global_id(0);

    if (i < k || i >= n)
        return;
    double sum = a[i * n + k];
    for (int j = 0; j < k; j++)
        sum -= a[i * n + j] * a[k * n + j];
    a[i * n + k] = sum;
}

//: kernel gauss_update
//: local 16,16
//: global 16*ceil(n/16),16*ceil(n/16)
//: at n=20 p=3
//: at n=32 p=0
kernel void gauss_update(global float *a, global const float *factor, int n, int p)
{
    int i = get_global_id(1) + p + 1, j = get_global_id(0) + p;

    if (i < n && j < n)
        a[i * n + j] -= factor[i] * a[p * n + j];
}

//: kernel batched_4x4
//: seen mul = 4*seen : an fmul is of four lanes
//: local 64
//: global 64*g
//: at g=1 batch=50
//: at g=2 batch=128
kernel void batched_4x4(global const float4 *a, global const float4 *b, global float4 *c,
                        int batch)
{
    int m = get_global_id(0);

    if (m >= batch)
        return;
    float4 b0 = b[4 * m], b1 = b[4 * m + 1], b2 = b[4 * m + 2], b3 = b[4 * m + 3];
    for (int r = 0; r < 4; r++) {
        float4 row = a[4 * m + r];
        c[4 * m + r] = row.x * b0 + row.y * b1 + row.z * b2 + row.w * b3;
    }
}

//: kernel gemm_guarded_tiles
//: local 8,8
//: global 8*ceil(n/8),8*ceil(m/8)
//: at m=12 n=20 k=9
//: at m=8 n=16 k=16
kernel void gemm_guarded_tiles(global const float *a, global const float *b, global float *c,
                               int m, int n, int k)
{
    local float ta[8][8], tb[8][9];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;

    for (int t = 0; t < (k + 7) / 8; t++) {
        int ka = t * 8 + lx, kb = t * 8 + ly;
        ta[ly][lx] = row < m && ka < k ? a[row * k + ka] : 0.0f;
        tb[ly][lx] = kb < k && col < n ? b[kb * n + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            sum += ta[ly][i] * tb[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

//: kernel gemm_registers
//: local 8,8
//: global n/4,m/4
//: at m=32 n=64 k=8
//: at m=64 n=32 k=4
//: assume m % 32 = 0 and n % 32 = 0
//: options -DW=4
kernel void gemm_registers(global const float *a, global const float *b, global float *c, int m,
                           int n, int k)
{
    float acc[W][W] = { { 0 } }, ra[W], rb[W];
    int row = get_global_id(1) * W, col = get_global_id(0) * W;

    for (int p = 0; p < k; p++) {
        for (int i = 0; i < W; i++) {
            ra[i] = a[(row + i) * k + p];
            rb[i] = b[p * n + col + i];
        }
        for (int i = 0; i < W; i++)
            for (int j = 0; j < W; j++)
                acc[i][j] += ra[i] * rb[j];
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++)
            c[(row + i) * n + col + j] = acc[i][j];
}

//: kernel complex_multiply
//: local 16,4
//: global 16*ceil(n/16),4*ceil(m/4)
//: at m=5 n=20 k=3
//: at m=8 n=16 k=6
kernel void complex_multiply(global const float2 *a, global const float2 *b, global float2 *c,
                             int m, int n, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    float re = 0.0f, im = 0.0f;

    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++) {
        float2 x = a[i * k + l], y = b[l * n + j];
        re += x.x * y.x - x.y * y.y;
        im += x.x * y.y + x.y * y.x;
    }
    c[i * n + j] = (float2)(re, im);
}

//: kernel outer_product
//: scalar incx = 1
//: local 32,2
//: global 32*ceil(n/32),2*ceil(m/2)
//: at m=3 n=40
//: at m=4 n=64
kernel void outer_product(global float *a, global const float *x, global const float *y,
                          float alpha, int m, int n, int incx)
{
    int j = get_global_id(0), i = get_global_id(1);

    if (i < m && j < n)
        a[i * n + j] += alpha * x[i] * y[j];
}

//: kernel transpose_padded
//: local 16,16
//: global 16*ceil(w/16),16*ceil(h/16)
//: at w=20 h=35
//: at w=32 h=16
kernel void transpose_padded(global const float *in, global float *out, int w, int h)
{
    local float tile[16][17];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);

    if (x < w && y < h)
        tile[ly][lx] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 16 + lx;
    y = get_group_id(0) * 16 + ly;
    if (x < h && y < w)
        out[y * h + x] = tile[lx][ly];
}

//: kernel householder_norm
//: local 64
//: global 64
//: at m=100 k=3
//: at m=64 k=0
//: assume k >= 0 and k < m
kernel void householder_norm(global const float *a, global float *norm, int m, int k)
{
    local float t[64];
    int l = get_local_id(0);
    float sum = 0.0f;

    for (int i = k + l; i < m; i += 64)
        sum += a[i] * a[i];
    t[l] = sum;
    for (int s = 32; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            t[l] += t[l + s];
    }
    if (l == 0)
        *norm = sqrt(t[0]);
}

//: kernel band_multiply
//: local 32
//: global 32*ceil(n/32)
//: at n=50 kl=2 ku=3
//: at n=64 kl=1 ku=1
//: assume kl >= 0 and ku >= 0 and kl < n and ku < n
//: buffer a n*(kl+ku+1)
//: buffer x n
kernel void band_multiply(global const float *a, global const float *x, global float *y, int n,
                          int kl, int ku)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int j = max(0, i - kl); j < min(n, i + ku + 1); j++)
        sum += a[i * (kl + ku + 1) + j - i + kl] * x[j];
    y[i] = sum;
}

//: kernel packed_upper
//: local 32
//: global 32*ceil(n/32)
//: at n=20
//: at n=33
//: buffer p n*(n+1)/2
kernel void packed_upper(global float *p, global const float *x, int n)
{
    int j = get_global_id(0);

    if (j < n)
        for (int i = 0; i <= j; i++)
            p[i + j * (j + 1) / 2] += x[i] * x[j];
}
