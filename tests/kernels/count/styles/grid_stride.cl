/* Loops that step by the global size, however large it is: level 1 of BLAS, streams,
 * reductions, histograms.
 */
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable

//: kernel scale
//: local 64
//: global 64*g
//: at n=1000 g=2
//: at n=37 g=3
//: at n=640 g=1
kernel void scale(global float *x, float alpha, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] *= alpha;
}

//: kernel axpy
//: local 64
//: global 64*g
//: at n=300 g=2
//: at n=129 g=1
kernel void axpy(global const float *x, global float *y, float alpha, uint n)
{
    uint id = get_global_id(0);
    const uint step = get_global_size(0);

    while (id < n) {
        y[id] = alpha * x[id] + y[id];
        id += step;
    }
}

//: kernel copy_offsets
//: local 32
//: global g
//: assume g >= 32
//: at n=100 xo=3 yo=5 g=64
//: at n=9 xo=0 yo=2 g=32
kernel void copy_offsets(int n, global const float *x, int xo, global float *y, int yo)
{
    for (int id = get_global_id(0); id < n; id += get_global_size(0))
        y[id + yo] = x[id + xo];
}

//: kernel strided
//: local 64
//: global 64*g
//: at n=200 inc=3 g=1
//: at n=130 inc=1 g=2
kernel void strided(int n, global float *x, int inc)
{
    for (int id = get_global_id(0); id < n; id += get_global_size(0))
        x[id * inc] = 0;
}

//: kernel triad4
//: local 64
//: global 64*g
//: at n=300 g=1
//: at n=64 g=3
kernel void triad4(global const float4 *a, global const float4 *b, global float4 *c, float s, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        c[i] = a[i] + s * b[i];
}

//: kernel dot_product
//: local 64
//: global 64*groups
//: at n=500 groups=2
//: at n=61 groups=4
kernel void dot_product(global const float *a, global const float *b, global float *sums, local float *tile, int n)
{
    size_t i = get_global_id(0);
    const size_t lid = get_local_id(0);

    tile[lid] = 0;
    for (; i < n; i += get_global_size(0))
        tile[lid] += a[i] * b[i];
    for (int offset = get_local_size(0) / 2; offset > 0; offset /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < offset)
            tile[lid] += tile[lid + offset];
    }
    if (lid == 0)
        sums[get_group_id(0)] = tile[lid];
}

//: kernel dot_groups
//: local 64
//: global 64*g
//: at n=500 g=2
//: at n=61 g=4
kernel void dot_groups(int n, global const float *x, global const float *y, global float *out)
{
    local float lm[64];
    const int lid = get_local_id(0), wgid = get_group_id(0), groups = get_num_groups(0);
    float acc = 0;
    int id = wgid * 64 + lid;

    while (id < n) {
        acc += x[id] * y[id];
        id += 64 * groups;
    }
    lm[lid] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s = s >> 1) {
        if (lid < s)
            lm[lid] += lm[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[wgid] = lm[0];
}

//: kernel reduce_two
//: local 64
//: global 64*g
//: at n=1000 g=2
//: at n=97 g=1
//: at n=4096 g=5
kernel void reduce_two(global const float *in, global float *out, uint n, local float *s)
{
    uint tid = get_local_id(0);
    uint i = get_group_id(0) * (get_local_size(0) * 2) + tid;
    uint step = get_local_size(0) * 2 * get_num_groups(0);

    s[tid] = 0;
    while (i < n) {
        s[tid] += in[i];
        if (i + get_local_size(0) < n)
            s[tid] += in[i + get_local_size(0)];
        i += step;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0)
        out[get_group_id(0)] = s[0];
}

//: kernel reduce_pairs
//: local 64
//: global 64*g
//: at n=1024 g=2
//: at n=512 g=1
//: assume n % 128 = 0
kernel void reduce_pairs(global const float *in, global float *out, uint n, local float *s)
{
    uint tid = get_local_id(0), i = get_group_id(0) * 128 + tid, step = 128 * get_num_groups(0);

    s[tid] = 0;
    while (i < n) {
        s[tid] += in[i] + in[i + 64];
        i += step;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0)
        out[get_group_id(0)] = s[0];
}

//: kernel histogram
//: local 64
//: global 64*g
//: at n=500 g=2
//: at n=100 g=1
//: buffer data n = i-16*floor(i/16)
kernel void histogram(global const uint *data, global uint *bins, int n)
{
    local uint own[16];

    for (int b = get_local_id(0); b < 16; b += get_local_size(0))
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[data[i] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < 16; b += get_local_size(0))
        atomic_add(&bins[b], own[b]);
}

//: kernel tiles_of_grid
//: local 64
//: global 64*g
//: at n=7 g=2
//: at n=3 g=4
//: marked barrier
kernel void tiles_of_grid(global float *a, int n)
{
    local float tile[64];

    for (int t = get_group_id(0); t < n; t += get_num_groups(0)) {
        tile[get_local_id(0)] = a[t * 64 + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[t * 64 + get_local_id(0)] = tile[63 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//: kernel plane
//: local 16,4
//: global 16*g,4*h
//: at n=50 m=9 g=2 h=1
//: at n=16 m=4 g=1 h=2
kernel void plane(global float *a, int n, int m)
{
    for (int y = get_global_id(1); y < m; y += get_global_size(1))
        for (int x = get_global_id(0); x < n; x += get_global_size(0))
            a[y * n + x] += 1;
}

//: kernel plane_inner
//: local 32,2
//: global 32*g,2*h
//: at n=50 m=9 g=1 h=1
//: at n=70 m=4 g=2 h=3
kernel void plane_inner(global const float *a, global float *b, int n, int m)
{
    for (int y = get_global_id(1); y < m; y += get_global_size(1))
        for (int x = get_global_id(0); x < n; x += get_global_size(0))
            if (x > 0 && x < n - 1 && y > 0 && y < m - 1)
                b[y * n + x] = a[y * n + x - 1] + a[y * n + x + 1] - a[(y - 1) * n + x] * a[(y + 1) * n + x];
}

//: kernel linear_of_plane
//: local 32,2
//: global 32*g,2*h
//: at n=500 g=1 h=2
//: at n=90 g=2 h=1
kernel void linear_of_plane(global float *a, int n)
{
    int id = get_global_id(1) * get_global_size(0) + get_global_id(0);

    for (int i = id; i < n; i += get_global_size(0) * get_global_size(1))
        a[i] += 1;
}

//: kernel rows
//: local 64
//: global 64*g
//: at n=20 m=100 g=3
//: at n=2 m=64 g=4
kernel void rows(global const float *a, global float *sums, int n, int m)
{
    for (int row = get_group_id(0); row < n; row += get_num_groups(0)) {
        float s = 0;

        for (int col = get_local_id(0); col < m; col += get_local_size(0))
            s += a[row * m + col];
        sums[row * 64 + get_local_id(0)] = s;
    }
}

//: kernel triangle
//: local 64
//: global 64*g
//: at n=70 g=1
//: at n=33 g=2
kernel void triangle(global const float *a, global float *x, int n)
{
    for (int row = get_global_id(0); row < n; row += get_global_size(0)) {
        float s = 0;

        for (int col = 0; col <= row; col++)
            s += a[row * n + col];
        x[row] = s;
    }
}

//: kernel guarded_start
//: local 64
//: global 64*g
//: at n=100 g=3
//: at n=300 g=1
kernel void guarded_start(global float *a, int n)
{
    int id = get_global_id(0);

    if (id >= n)
        return;
    for (int i = id; i < n; i += get_global_size(0))
        a[i] = i;
}

//: kernel even_ones
//: local 64
//: global 64*g
//: at n=100 g=3
//: at n=300 g=1
kernel void even_ones(global float *a, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        if (i % 2 == 0)
            a[i] = 1;
        else
            a[i] *= 2;
}

//: kernel neighbours
//: local 64
//: global 64*g
//: assume n >= 2
//: at n=100 g=3
//: at n=300 g=1
kernel void neighbours(global const float *a, global float *b, int n)
{
    for (int i = get_global_id(0) + 1; i < n - 1; i += get_global_size(0))
        b[i] = a[i - 1] + a[i + 1];
}

//: kernel two_arrays
//: local 64
//: global 64*g
//: at n=100 m=50 g=1
//: at n=300 m=400 g=2
kernel void two_arrays(global float *a, global float *b, int n, int m)
{
    for (int i = get_global_id(0); i < n && i < m; i += get_global_size(0))
        a[i] += b[i];
}

//: kernel skip_tail
//: local 64
//: global 64*g
//: at n=100 m=50 g=1
//: at n=300 m=400 g=2
kernel void skip_tail(global float *a, int n, int m)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (i >= m)
            continue;
        a[i] += 1;
    }
}

//: kernel stop_early
//: local 64
//: global 64*g
//: at n=100 m=50 g=1
//: at n=300 m=200 g=2
kernel void stop_early(global float *a, int n, int m)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        if (i >= m)
            break;
        a[i] += 1;
    }
}

//: kernel two_sizes
//: local 64
//: global 64*g
//: at n=1000 g=2
//: at n=70 g=1
kernel void two_sizes(global float *a, int n)
{
    for (int i = get_global_id(0); i < n; i += 2 * get_global_size(0)) {
        a[i] += 1;
        if (i + get_global_size(0) < n)
            a[i + get_global_size(0)] *= 2;
    }
}

//: kernel volume
//: local 32,2,1
//: global 32*g,2*h,k
//: at n=40 m=5 l=4 g=1 h=1 k=2
//: at n=32 m=3 l=3 g=2 h=2 k=3
kernel void volume(global float *a, int n, int m, int l)
{
    for (int z = get_global_id(2); z < l; z += get_global_size(2))
        for (int y = get_global_id(1); y < m; y += get_global_size(1))
            for (int x = get_global_id(0); x < n; x += get_global_size(0))
                a[(z * m + y) * n + x] = 0;
}

//: kernel down
//: local 64
//: global 64*g
//: at n=100 g=1
//: at n=300 g=2
kernel void down(global float *a, int n)
{
    for (int i = n - 1 - (int)get_global_id(0); i >= 0; i -= (int)get_global_size(0))
        a[i] += 1;
}
//: kernel offset_start
//: local 64
//: global 64*g
//: at n=500 off=7 g=2
//: at n=100 off=150 g=1
kernel void offset_start(global float *a, int n, int off)
{
    for (int i = off + get_global_id(0); i < n; i += get_global_size(0))
        a[i] += 1;
}

//: kernel range_of_two
//: local 64
//: global 64*g
//: at from=7 to=500 g=2
//: at from=100 to=120 g=1
//: assume to >= from
kernel void range_of_two(global float *a, int from, int to)
{
    for (int i = from + get_global_id(0); i < to; i += get_global_size(0))
        a[i - from] += 1;
}

//: kernel vec_then_tail
//: local 64
//: global 64*g
//: at n=503 g=2
//: at n=100 g=1
kernel void vec_then_tail(global float *a, int n)
{
    int id = get_global_id(0);

    for (int i = id; i < n / 4; i += get_global_size(0))
        vstore4(vload4(i, a), i, a);
    if (id < n - n / 4 * 4)
        a[n / 4 * 4 + id] *= 2.0f;
}

//: kernel tile_pairs
//: local 16,16
//: global 16*g,16*h
//: at n=50 m=40 g=2 h=1
//: at n=16 m=48 g=1 h=2
kernel void tile_pairs(global const float *a, global float *b, int n, int m)
{
    local float t[16][17];

    for (int by = get_group_id(1); by < (m + 15) / 16; by += get_num_groups(1))
        for (int bx = get_group_id(0); bx < (n + 15) / 16; bx += get_num_groups(0)) {
            int x = bx * 16 + get_local_id(0), y = by * 16 + get_local_id(1);

            if (x < n && y < m)
                t[get_local_id(1)][get_local_id(0)] = a[y * n + x];
            if (x < n && y < m)
                b[x * m + y] = t[get_local_id(1)][get_local_id(0)];
        }
}

//: kernel prefix_break
//: local 64
//: global 64*g
//: at n=500 g=2
//: at n=100 g=1
kernel void prefix_break(global float *a, int n)
{
    int i = get_global_id(0);

    while (true) {
        if (i >= n)
            break;
        a[i] += 1;
        i += get_global_size(0);
    }
}

//: kernel do_loop
//: local 64
//: global 64*g
//: at n=500 g=2
//: at n=200 g=1
//: assume n >= 64*g
kernel void do_loop(global float *a, int n)
{
    int i = get_global_id(0);

    do {
        a[i] += 1;
        i += get_global_size(0);
    } while (i < n);
}

//: kernel pointer_stride
//: local 64
//: global 64*g
//: at n=500 g=2
//: at n=200 g=1
kernel void pointer_stride(global float *a, int n)
{
    for (global float *p = a + get_global_id(0); p < a + n; p += get_global_size(0))
        *p += 1;
}

//: kernel rounds_with_barrier
//: local 32
//: global 32*g
//: at n=500 g=2
//: at n=96 g=1
//: marked barrier
kernel void rounds_with_barrier(global const float *a, global float *b, int n)
{
    local float t[32];
    int lid = get_local_id(0);

    for (int first = get_group_id(0) * 32; first < n; first += get_global_size(0)) {
        int i = first + lid;

        t[lid] = i < n ? a[i] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            b[i] = t[31 - lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//: kernel column_sums
//: local 32
//: global 32*g
//: at n=40 m=20 g=1
//: at n=100 m=7 g=2
kernel void column_sums(global const float *a, global float *s, int n, int m)
{
    for (int col = get_global_id(0); col < n; col += get_global_size(0)) {
        float sum = 0;

        for (int row = 0; row < m; row++)
            sum += a[row * n + col];
        s[col] = sum;
    }
}

//: kernel rectangle
//: no-lanes lanes are cut where rows of a symbolic width end
//: local 64
//: global 64*g
//: assume w >= 1
//: at w=20 h=13 g=2
//: at w=7 h=40 g=1
kernel void rectangle(global const float *a, global float *b, int w, int h)
{
    for (int i = get_global_id(0); i < w * h; i += get_global_size(0)) {
        int y = i / w, x = i % w;

        if (x > 0 && y > 0)
            b[i] = a[i] - a[(y - 1) * w + x - 1];
    }
}

//: kernel unroll_four
//: local 64
//: global 64*g
//: at n=1000 g=1
//: at n=300 g=2
kernel void unroll_four(global float *a, int n)
{
    int step = get_global_size(0);

    for (int i = get_global_id(0); i < n; i += 4 * step) {
        a[i] += 1;
        if (i + step < n)
            a[i + step] += 1;
        if (i + 2 * step < n)
            a[i + 2 * step] += 1;
        if (i + 3 * step < n)
            a[i + 3 * step] += 1;
    }
}
