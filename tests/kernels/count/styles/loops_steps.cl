/* loops_steps.cl - loops that double or halve, step by a size, or have rounded bounds */

//: kernel doubling_passes
//: local 32
//: global 32*g
//: at g=1 n=1
//: at g=2 n=1000
//: at g=1 n=1024
//: at g=1 n=1025
kernel void doubling_passes(global float *a, int n)
{
    int i = get_global_id(0);

    for (int s = 1; s < n; s *= 2)
        a[i] = a[i] * 0.5f + 1.0f;
}

//: kernel halving_passes
//: local 32
//: global 32*g
//: at g=1 n=1
//: at g=2 n=1000
//: at g=1 n=1024
kernel void halving_passes(global float *a, uint n)
{
    int i = get_global_id(0);

    for (uint d = n >> 1; d > 0; d >>= 1)
        a[i] = a[i] * 0.5f + 1.0f;
}

//: kernel binary_search
//: local 32
//: global 32*g
//: at g=1 n=100
//: at g=2 n=512
//: lanes-marked divergent branch
kernel void binary_search(global const int *sorted, global int *found, int n)
{
    int key = get_global_id(0), at = 0;

    for (int step = n; step > 0; step /= 2)
        at += sorted[at] < key ? 0 : 0;
    found[key] = at;
}

//: kernel merge_levels
//: local 64
//: global 64*g
//: at g=1 n=100
//: at g=2 n=512
kernel void merge_levels(global float *a, int n)
{
    int i = get_global_id(0);

    for (int width = 1; width < n; width <<= 1) {
        a[i] += 1.0f;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//: kernel bitonic_stages
//: local 64
//: global 64*g
//: at g=1 n=64
//: at g=2 n=200
kernel void bitonic_stages(global float *a, uint n)
{
    uint i = get_global_id(0);

    for (uint size = 2; size <= n; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_GLOBAL_MEM_FENCE);
            a[i] = a[i] * 0.5f;
        }
}

//: kernel radix_four
//: local 32
//: global 32*g
//: at g=1 n=64
//: at g=2 n=257
kernel void radix_four(global float2 *a, uint n)
{
    uint i = get_global_id(0);

    for (uint p = 1; p < n; p *= 4)
        a[i] = a[i] * 0.25f + (float2)(1.0f, 2.0f);
}

//: kernel growing_work
//: local 32
//: global 32*g
//: at g=1 n=64
//: at g=2 n=100
//: buffer a 2*n
kernel void growing_work(global const float *a, global float *out, uint n)
{
    float sum = 0.0f;

    for (uint s = 1; s < n; s *= 2)
        for (uint j = 0; j < s; j++)
            sum += a[j];
    out[get_global_id(0)] = sum;
}

//: kernel tree_guarded
//: local 64
//: global 64*g
//: at g=1 n=64
//: at g=2 n=64
//: noted fix 'n' as a number
//: advice assume n = 64
kernel void tree_guarded(global float *a, local float *part, int n)
{
    int l = get_local_id(0);

    part[l] = a[get_global_id(0)];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            part[l] += part[l + d];
    }
    if (l == 0)
        a[get_group_id(0)] = part[0];
}

//: kernel sweep_guarded
//: local 32
//: global 32*g
//: at g=1 n=64
//: at g=2 n=64
//: noted --assume "n = 1024"
//: advice assume n = 64
kernel void sweep_guarded(global float *a, int n)
{
    int l = get_local_id(0);

    for (int s = 1; s < n; s *= 2)
        if (l < s)
            a[get_global_id(0)] += 1.0f;
}

//: kernel cyclic_reduction
//: local 32
//: global 32*g
//: at g=1 n=64
//: at g=2 n=50
kernel void cyclic_reduction(global float *a, global float *b, int n)
{
    int i = get_global_id(0), steps = 0;

    for (int stride = 1; stride < n; stride *= 2) {
        steps++;
        for (int k = 0; k < steps; k++)
            b[i] = b[i] * 0.5f + a[i];
    }
}

//: kernel strided_panel
//: local 16,4
//: global 16*g,4
//: at g=1 k=8 ldb=64
//: at g=2 k=10 ldb=70
//: assume ldb >= 1 and k >= 4
kernel void strided_panel(global const float *b, global float *c, int k, int ldb)
{
    int i = get_global_id(0);
    global const float *at = b + i, *end = b + i + k * ldb;
    float sum = 0.0f;

    do {
        sum += at[0];
        at += 4 * ldb;
    } while (at < end);
    c[get_global_id(1) * get_global_size(0) + i] = sum;
}

//: kernel rows_by_pitch
//: local 32
//: global 32*g
//: at g=1 rows=8 pitch=64
//: at g=2 rows=10 pitch=70
//: assume pitch >= 1
kernel void rows_by_pitch(global const float *a, global float *out, int rows, int pitch)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    for (int o = 0; o < rows * pitch; o += pitch)
        sum += a[o + i];
    out[i] = sum;
}

//: kernel interleaved
//: local 32
//: global 32*g
//: at g=1 n=200 m=32
//: at g=2 n=300 m=50
//: buffer a n+40
//: refused it can be counted with --assume
//: advice assume m >= 32
kernel void interleaved(global const float *a, global float *out, int n, int m)
{
    float sum = 0.0f;

    for (int j = get_local_id(0); j < n; j += m)
        sum += a[j];
    out[get_global_id(0)] = sum;
}

//: kernel tiles_of_size
//: local 32
//: global 32*g
//: at g=1 n=100 ts=7
//: at g=2 n=64 ts=16
//: assume ts >= 1
kernel void tiles_of_size(global const float *a, global float *out, int n, int ts)
{
    float sum = 0.0f;

    for (int t = 0; t < n; t += ts)
        for (int j = t; j < min(t + ts, n); j++)
            sum += a[j];
    out[get_global_id(0)] = sum;
}

//: kernel tiled_product
//: local 8,8
//: global 8*ceil(n/8),8*ceil(n/8)
//: at n=12 ts=5
//: at n=16 ts=4
//: assume ts >= 1
kernel void tiled_product(global const float *a, global const float *b, global float *c, int n,
                          int ts)
{
    int i = get_global_id(1), j = get_global_id(0);
    float sum = 0.0f;

    if (i >= n || j >= n)
        return;
    for (int t = 0; t < n; t += ts) {
        int end = t + ts < n ? t + ts : n;
        for (int k = t; k < end; k++)
            sum = fma(a[i * n + k], b[k * n + j], sum);
    }
    c[i * n + j] = sum;
}

//: kernel blocks_in_float
//: local 32
//: global 32*g
//: at g=1 n=1000
//: at g=2 n=1024
kernel void blocks_in_float(global const float *sums, global float *out, int n)
{
    int blocks = ceil((float)n / 512.0f);
    float sum = 0.0f;

    for (int b = 0; b < blocks; b++)
        sum += sums[b];
    out[get_global_id(0)] = sum;
}

//: kernel blocks_in_double
//: no-lanes operations are counted before the loop
//: seen ceil = 64*g : it is the same in each iteration
//: seen div = 64*g : it is the same in each iteration
//: local 32
//: global 32*g
//: at g=1 n=1000
//: at g=2 n=1001
kernel void blocks_in_double(global const float *sums, global float *out, int n)
{
    float sum = 0.0f;

    for (int b = 0; b < (int)ceil(n / 10.0) - 1; b++)
        sum += sums[b];
    out[get_global_id(0)] = sum;
}

//: kernel scaled_radius
//: local 32
//: global 32*g
//: at g=1 n=13
//: at g=2 n=16
kernel void scaled_radius(global const float *a, global float *out, int n)
{
    int r = ceil(n * 0.5f);
    float sum = 0.0f;

    for (int j = 0; j <= 2 * r; j++)
        sum += a[j];
    out[get_global_id(0)] = sum;
}

//: kernel triangular_with_max
//: local 32
//: global 32*g
//: at g=1 n=9
//: at g=2 n=14
kernel void triangular_with_max(global const float *a, global float *out, int n)
{
    float sum = 0.0f;

    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            for (int o = max(j, 2); o < n; o++)
                sum += a[o];
    out[get_global_id(0)] = sum;
}

//: kernel banded_with_min
//: local 32
//: global 32*g
//: at g=1 n=9 b=2
//: at g=2 n=14 b=5
kernel void banded_with_min(global const float *a, global float *out, int n, int b)
{
    float sum = 0.0f;

    for (int i = 0; i < n; i++)
        for (int j = max(i - b, 0); j <= min(i + b, n - 1); j++)
            sum += a[i * n + j];
    out[get_global_id(0)] = sum;
}

//: kernel columns_by_pitch
//: local 32
//: global 32*g
//: at g=1 n=200 pitch=7
//: at g=2 n=64 pitch=64
//: at g=2 n=60 pitch=100
//: buffer a n+64
kernel void columns_by_pitch(global const float *a, global float *out, int n, int pitch)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    for (int o = 0; o < n; o += pitch)
        sum += a[o + i];
    out[i] = sum;
}

/* Steps and divisors that are sizes, from ids or outer loops on. */
//: kernel from_own_id
//: local 64
//: global n
//: assume n >= 64 and s >= 1
//: at n=192 s=5
//: at n=128 s=200
//: at n=640 s=1
//: buffer a n
//: lanes-marked add, global load, divergent branch
kernel void from_own_id(global float *a, int n, int s)
{
    int i = get_global_id(0);
    float t = 0;

    for (int j = i; j < n; j += s)
        t += a[j];
    a[i] = t;
}

//: kernel down_to_own_id
//: local 64
//: global n
//: assume n >= 64 and s >= 1
//: at n=192 s=5
//: at n=320 s=37
//: buffer a n
//: lanes-marked add, global load, divergent branch
kernel void down_to_own_id(global float *a, int n, int s)
{
    int i = get_global_id(0);
    float t = 0;

    for (int j = n - 1; j >= i; j -= s)
        t += a[j];
    a[i] = t;
}

//: kernel up_to_own_id
//: local 64
//: global n
//: assume n >= 64 and s >= 1
//: at n=192 s=7
//: at n=256 s=64
//: buffer a n
//: lanes-marked add, global load, divergent branch
kernel void up_to_own_id(global float *a, int n, int s)
{
    int i = get_global_id(0);
    float t = 0;

    for (int j = 0; j < i; j += s)
        t += a[j];
    a[i] = t;
}

//: kernel shares_of_the_rest
//: local 64
//: global 64*ceil(w/64)
//: assume w >= 1 and per >= 1
//: at w=200 per=3
//: at w=129 per=16
//: buffer a 64*ceil(w/64)
//: lanes-marked add, global load, divergent branch
kernel void shares_of_the_rest(global float *a, int w, int per)
{
    int x = get_global_id(0);
    float t = 0;

    if (x >= w)
        return;
    for (int k = 0; k < (w - x - 1 + per) / per; k++)
        t += a[k];
    a[x] = t;
}

//: kernel shares_without_guard
//: local 64
//: global n
//: assume n >= 64 and s >= 1
//: at n=192 s=3
//: at n=128 s=16
//: buffer a n
//: lanes-marked add, global load, divergent branch
kernel void shares_without_guard(global float *a, uint n, uint s)
{
    uint i = get_global_id(0);
    float t = 0;

    for (uint k = 0; k < (n - i + s - 1) / s; k++)
        t += a[k];
    a[i] = t;
}

//: kernel shares_of_triangles
//: local 64
//: global n
//: assume n >= 64 and s >= 1
//: at n=128 s=5
//: at n=192 s=80
//: buffer a 2*n
kernel void shares_of_triangles(global float *a, int n, int s)
{
    int i = get_global_id(0);
    float t = 0;

    for (int j = 0; j < n; j++)
        for (int k = j; k < n; k += s)
            t += a[k];
    a[i] = t;
}

//: kernel shares_by_group
//: local 64
//: global 64*m
//: assume m >= 1 and s >= 1
//: at m=7 s=2
//: at m=3 s=9
//: buffer a 64*m
kernel void shares_by_group(global float *a, int m, int s)
{
    int g = get_group_id(0);
    float t = 0;

    for (int j = g; j < m; j += s)
        t += a[j];
    a[get_global_id(0)] = t;
}
