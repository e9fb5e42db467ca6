/* layers.cl - layers of neural networks */

//: kernel conv_nchw
//: local 8,8,1
//: global 8*ceil(wo/8),8*ceil(ho/8),co
//: options -DK=3
//: at wo=10 ho=6 ci=2 co=3
//: at wo=16 ho=8 ci=3 co=2
kernel void conv_nchw(global const float *in, constant float *weight, global float *out, int wo,
                      int ho, int ci)
{
    int x = get_global_id(0), y = get_global_id(1), o = get_global_id(2);
    int wi = wo + K - 1, hi = ho + K - 1;
    float sum = 0.0f;

    if (x >= wo || y >= ho)
        return;
    for (int c = 0; c < ci; c++)
        for (int j = 0; j < K; j++)
            for (int i = 0; i < K; i++)
                sum += in[(c * hi + y + j) * wi + x + i] * weight[((o * ci + c) * K + j) * K + i];
    out[(o * ho + y) * wo + x] = fmax(sum, 0.0f);
}

//: kernel conv_padded_stride
//: local 8,8
//: global 8*ceil(wo/8),8*ceil(ho/8)
//: at wo=5 ho=4
//: at wo=8 ho=8
//: assume wo >= 2 and ho >= 2
kernel void conv_padded_stride(global const float *in, constant float *weight,
                               global float *out, int wo, int ho)
{
    int x = get_global_id(0), y = get_global_id(1), w = 2 * wo, h = 2 * ho;
    float sum = 0.0f;

    if (x >= wo || y >= ho)
        return;
    for (int j = 0; j < 3; j++) {
        int yy = 2 * y + j - 1;
        if (yy < 0 || yy >= h)
            continue;
        for (int i = 0; i < 3; i++) {
            int xx = 2 * x + i - 1;
            if (xx >= 0 && xx < w)
                sum += weight[3 * j + i] * in[yy * w + xx];
        }
    }
    out[y * wo + x] = sum;
}

//: kernel max_pool
//: local 8,8
//: global 8*ceil(wo/8),8*ceil(ho/8)
//: at wo=5 ho=4
//: at wo=16 ho=8
kernel void max_pool(global const float *in, global float *out, int wo, int ho)
{
    int x = get_global_id(0), y = get_global_id(1);
    float most = -INFINITY;

    if (x < wo && y < ho) {
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                most = max(most, in[(2 * y + j) * 2 * wo + 2 * x + i]);
        out[y * wo + x] = most;
    }
}

//: kernel softmax_rows
//: local 64
//: global 64*rows
//: at rows=2 n=100
//: at rows=3 n=64
kernel void softmax_rows(global float *a, int n)
{
    local float t[64];
    int l = get_local_id(0), row = get_group_id(0);
    float most = -MAXFLOAT, sum = 0.0f;

    for (int i = l; i < n; i += 64)
        most = fmax(most, a[row * n + i]);
    t[l] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s)
            t[l] = fmax(t[l], t[l + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = t[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < n; i += 64) {
        float e = exp(a[row * n + i] - most);
        a[row * n + i] = e;
        sum += e;
    }
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = 1.0f / t[0];
    for (int i = l; i < n; i += 64)
        a[row * n + i] *= sum;
}

//: kernel attention_causal
//: local 8,8
//: global 8*ceil(n/8),8*ceil(n/8)
//: at n=12 d=4
//: at n=16 d=8
kernel void attention_causal(global const float *q, global const float *k, global float *score,
                             int n, int d)
{
    int j = get_global_id(0), i = get_global_id(1);
    float sum = 0.0f;

    if (i >= n || j >= n)
        return;
    if (j > i) {
        score[i * n + j] = -INFINITY;
        return;
    }
    for (int c = 0; c < d; c++)
        sum = fma(q[i * d + c], k[j * d + c], sum);
    score[i * n + j] = sum * rsqrt((float)d);
}

//: kernel adam_update
//: local 64
//: global 64*ceil(n/64)
//: at n=100
//: at n=128
kernel void adam_update(global float *w, global const float *grad, global float *m,
                        global float *v, float rate, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        float g = grad[i];
        float a = m[i] = 0.9f * m[i] + (1.0f - 0.9f) * g;
        float b = v[i] = 0.999f * v[i] + (1.0f - 0.999f) * g * g;
        w[i] -= rate * a / (sqrt(b) + 1e-8f);
    }
}

//: kernel im2col_rows
//: buffer in c*(ho+2)*(wo+2)
//: local 32
//: global 32*ceil(c*ho*wo/32)
//: options -DK=3
//: at c=2 ho=4 wo=5
//: at c=1 ho=8 wo=8
//: assume c >= 1 and ho >= 1 and wo >= 1
kernel void im2col_rows(global const float *in, global float *col, int c, int ho, int wo)
{
    int i = get_global_id(0);

    if (i >= c * ho * wo)
        return;
    int x = i % wo, y = i / wo % ho, ch = i / (wo * ho), wi = wo + K - 1, hi = ho + K - 1;
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++)
            col[((ch * K + j) * K + k) * ho * wo + y * wo + x] =
                in[(ch * hi + y + j) * wi + x + k];
}

//: kernel int8_matmul
//: local 16,4
//: global 16*ceil(n/16),4*ceil(m/4)
//: at m=5 n=20 k=8
//: at m=4 n=16 k=16
kernel void int8_matmul(global const char *a, global const char *b, global int *c, int m, int n,
                        int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    int sum = 0;

    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; ++l)
        sum += (int)a[i * k + l] * (int)b[j * k + l];
    c[i * n + j] = sum;
}

//: kernel layer_norm
//: local 32
//: global 32*ceil(rows/32)
//: at rows=20 n=6
//: at rows=32 n=8
kernel void layer_norm(global const float *in, global float *out, global const float *gamma,
                       global const float *beta, int rows, int n)
{
    int row = get_global_id(0);
    float mean = 0.0f, var = 0.0f;

    if (row >= rows)
        return;
    for (int i = 0; i < n; i++)
        mean += in[row * n + i];
    mean /= n;
    for (int i = 0; i < n; i++) {
        float d = in[row * n + i] - mean;
        var += d * d;
    }
    float scale = rsqrt(var / n + 1e-5f);
    for (int i = 0; i < n; i++)
        out[row * n + i] = (in[row * n + i] - mean) * scale * gamma[i] + beta[i];
}

//: kernel embed
//: local 32
//: global 32*ceil(tokens*8/32)
//: at tokens=5
//: at tokens=8
//: buffer table 80
kernel void embed(global const int *token, global const float *table, global float *out,
                  int tokens)
{
    int i = get_global_id(0);

    if (i < 8 * tokens)
        out[i] = table[token[i / 8] * 8 + i % 8];
}
