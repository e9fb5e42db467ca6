/* at_sizes.cl - kernels that have no closed form, but a count at sizes that are numbers */

//: kernel exchange_network
//: local 8,8
//: global 8*ceil(w/8),8*ceil(h/8)
//: at w=13 h=10
//: at w=24 h=17
//: at-sizes
kernel void exchange_network(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float p[9];

    if (x >= w || y >= h)
        return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[y * w + x] = in[y * w + x];
        return;
    }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[j * 3 + i] = in[(y + j - 1) * w + x + i - 1];
    for (int pass = 0; pass < 5; pass++)
        for (int k = 0; k + 1 < 9 - pass; k++) {
            float low = fmin(p[k], p[k + 1]);
            p[k + 1] = fmax(p[k], p[k + 1]);
            p[k] = low;
        }
    out[y * w + x] = p[4];
}

//: kernel chunks_of_groups
//: local 1
//: global 16
//: at n=3000
//: at n=4097
//: at-sizes
kernel void chunks_of_groups(global const float *a, global float *b, int n)
{
    int gs = get_global_size(0), chunk = 64;

    for (int o = get_global_id(0) * chunk; o < n; o += chunk * gs)
        for (int i = o; i < min(o + chunk, n); i++)
            b[i] = a[i] * 2.0f;
}

//: kernel taps_of_width
//: local 32
//: global width
//: at width=96 per=7
//: at width=64 per=16
//: buffer a 2*width
//: at-sizes
kernel void taps_of_width(global const float *a, global float *b, int width, int per)
{
    int x = get_global_id(0);
    float s = 0;

    for (int k = 0; k < (width - x - 1 + per) / per; k++)
        s += a[x + k * per];
    b[x] = s;
}

//: kernel moved_start
//: local 8,4
//: global w,oh
//: at w=16 h=30 oh=8 stride=3 pad=4
//: at w=8 h=12 oh=12 stride=1 pad=2
//: buffer a w*(h+20)
//: at-sizes
kernel void moved_start(global const float *a, global float *b, int w, int h, int oh,
                        int stride, int pad)
{
    int x = get_global_id(0), oy = get_global_id(1);
    int y0 = oy * stride - pad;
    float s = 0;

    while (y0 < 0)
        y0 += stride;
    for (int y = y0; y < min(h, oy * stride - pad + 12); y += stride)
        s += a[y * w + x];
    b[oy * w + x] = s;
}

//: kernel clamped_both
//: local 8,8
//: global 8*ceil(w/8),8*ceil(h/8)
//: at w=19 h=14 r=3
//: at w=9 h=5 r=11
//: buffer a w*h
//: at-sizes
kernel void clamped_both(global const float *a, global float *b, int w, int h, int r)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;

    if (x >= w || y >= h)
        return;
    for (int k = max(-r, -y); k <= min(r, h - 1 - y); k++)
        for (int l = max(-r, -x); l <= min(r, w - 1 - x); l++)
            s += a[(y + k) * w + x + l];
    b[y * w + x] = s;
}

//: kernel burst_rows
//: local 16
//: global 16*g
//: at g=2 rows=5 cols=7
//: at g=3 rows=7 cols=4
//: buffer a 16*g*rows*cols
//: buffer b 16*g
//: at-sizes
kernel void burst_rows(global const float *a, global float *b, int rows, int cols)
{
    int g = get_global_id(0), i = 0, j = 0;
    float s = 0;

    while (i < rows) {
        s += a[(g * rows + i) * cols + j];
        j++;
        if (j == cols) {
            j = 0;
            i++;
        }
    }
    b[g] = s;
}

//: kernel burst_long
//: local 16
//: global 16*g
//: at g=1 rows=9 cols=130
//: at g=2 rows=11 cols=100
//: buffer a 16*g*rows*cols
//: buffer b 16*g
//: at-sizes
//: lanes-marked divergent branch
kernel void burst_long(global const float *a, global float *b, int rows, int cols)
{
    int g = get_global_id(0), i = 0, j = 0;
    float s = 0;

    while (i < rows) {
        s += a[(g * rows + i) * cols + j];
        j++;
        if (j == cols) {
            j = 0;
            i++;
        }
    }
    b[g] = s;
}

//: kernel common_divisor
//: local 32
//: global 32*g
//: at g=2 n=60
//: at g=3 n=377
//: at-sizes
kernel void common_divisor(global int *b, int n)
{
    int u = get_global_id(0), v = n;

    while (v) {
        int t = u % v;

        u = v;
        v = t;
    }
    b[get_global_id(0)] = u;
}

//: kernel trial_divisors
//: local 32
//: global 32*ceil(n/32)
//: at n=100
//: at n=333
//: at-sizes
kernel void trial_divisors(global const float *a, global float *b, int n)
{
    int x = get_global_id(0);
    float s = 0;

    if (x >= n)
        return;
    for (int i = 2; i * i <= x; i++)
        s += a[i];
    b[x] = s;
}

//: kernel random_until
//: local 16
//: global 16*g
//: at g=2
//: at g=5
//: at-sizes
kernel void random_until(global int *b)
{
    uint s = get_global_id(0) * 2654435761u + 1u;
    int k = 0;

    while (s % 7u != 0u) {
        s = s * 1103515245u + 12345u;
        k++;
    }
    b[get_global_id(0)] = k;
}

//: kernel escape_time
//: local 8,8
//: global w,h
//: at w=16 h=8
//: at w=24 h=24
//: at-sizes
//: marked all
//: lanes-marked all
kernel void escape_time(global int *b, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), i = 0;
    float cr = 3.0f * x / w - 2.0f, ci = 2.0f * y / h - 1.0f, zr = 0, zi = 0;

    while (i < 50 && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;

        zi = 2 * zr * zi + ci;
        zr = t;
        i++;
    }
    b[y * w + x] = i;
}

//: kernel data_until
//: local 16
//: global 16*g
//: assume g = 2
//: at g=2
//: at g=2
//: refused depends on data
kernel void data_until(global const int *a, global int *b)
{
    int v = a[get_global_id(0)], k = 0;

    while (v > 1) {
        v = v / 2 + (v & 1);
        k += v;
    }
    b[get_global_id(0)] = k;
}

//: kernel tagged_bins
//: local 32
//: global 32*g
//: assume g = 2
//: at g=2
//: at g=2
//: refused depends on data
kernel void tagged_bins(global const uint *data, global uint *out)
{
    volatile local uint bins[32];
    uint bin = data[get_global_id(0)] & 31, tag = (uint)get_local_id(0) << 27, count;

    bins[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        count = tag | ((bins[bin] & 0x07ffffff) + 1);
        bins[bin] = count;
    } while (bins[bin] != count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = bins[get_local_id(0)];
}

//: kernel one_at_a_time
//: local 32
//: global 32*g
//: assume g = 2
//: at g=2
//: at g=2
//: refused depends on data
kernel void one_at_a_time(global float *out)
{
    local int lock;
    local float sum;

    if (get_local_id(0) == 0) {
        lock = 0;
        sum = 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_cmpxchg(&lock, 0, 1) != 0)
        ;
    sum += 0.5f;
    atomic_xchg(&lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

//: kernel until_nothing_changes
//: local 32
//: global 32*g
//: assume g = 2
//: at g=2
//: at g=2
//: refused depends on data
kernel void until_nothing_changes(global int *out)
{
    local int label[32];
    local int changed;
    int l = get_local_id(0);

    label[l] = l;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > 0 && label[l - 1] < label[l]) {
            label[l] = label[l - 1];
            changed = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (changed);
    out[get_global_id(0)] = label[l];
}

//: kernel shared_queue
//: local 32
//: global 32*g
//: at g=2 n=100
//: at g=1 n=5
//: at-sizes
//: buffer out n
//: no-lanes how many a sub-group takes is refused
kernel void shared_queue(global float *out, int n)
{
    local int next;
    int i;

    if (get_local_id(0) == 0)
        next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while ((i = atomic_inc(&next)) < n)
        out[i] = i;
}

//: kernel own_parts
//: local 32
//: global 32*g
//: at g=2
//: at g=3
//: at-sizes
//: buffer out 496
kernel void own_parts(global float *out)
{
    local int begin[33];
    int l = get_local_id(0);

    begin[l] = l * (l - 1) / 2;
    if (l == 0)
        begin[32] = 32 * 31 / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = begin[l]; i < begin[l + 1]; i++)
        out[i] = i;
}
