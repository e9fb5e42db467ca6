/* scans.cl - scans, reductions and sorts within a work-group */

//: kernel inclusive_scan_64
//: local 64
//: global 64*g
//: at g=2
//: at g=5
kernel void inclusive_scan_64(global const float *in, global float *out)
{
    local float a[64], b[64];
    local float *from = a, *to = b, *swap;
    int l = get_local_id(0);

    from[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 64; d *= 2) {
        to[l] = l >= d ? from[l] + from[l - d] : from[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        swap = from;
        from = to;
        to = swap;
    }
    out[get_global_id(0)] = from[l];
}

//: kernel blelloch_128
//: local 64
//: global 64*g
//: at g=1
//: at g=3
kernel void blelloch_128(global const int *in, global int *out, global int *sums)
{
    local int t[128];
    int l = get_local_id(0), base = get_group_id(0) * 128, offset = 1;

    t[2 * l] = in[base + 2 * l];
    t[2 * l + 1] = in[base + 2 * l + 1];
    for (int d = 64; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        sums[get_group_id(0)] = t[127];
        t[127] = 0;
    }
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int left = offset * (2 * l + 1) - 1, right = offset * (2 * l + 2) - 1;
            int v = t[left];
            t[left] = t[right];
            t[right] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * l] = t[2 * l];
    out[base + 2 * l + 1] = t[2 * l + 1];
}

//: kernel reduce_tree
//: local 128
//: global 128*g
//: at g=2 n=200
//: at g=3 n=384
kernel void reduce_tree(global const float *in, global float *out, local float *t, uint n)
{
    uint l = get_local_id(0), i = get_group_id(0) * get_local_size(0) + l;

    t[l] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}

//: kernel reduce_interleaved
//: local 64
//: global 64*g
//: at g=2
//: at g=4
kernel void reduce_interleaved(global const float *in, global float *out)
{
    local float t[64];
    int l = get_local_id(0);

    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 64; s *= 2) {
        if (l % (2 * s) == 0)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = t[0];
}

//: kernel reduce_two_loads
//: local 64
//: global 64*g
//: at g=2 n=200
//: at g=2 n=256
kernel void reduce_two_loads(global const float *in, global float *out, int n)
{
    local float t[64];
    int l = get_local_id(0), i = get_group_id(0) * 128 + l;
    float sum = 0;

    if (i < n)
        sum = in[i];
    if (i + 64 < n)
        sum += in[i + 64];
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32)
        t[l] += t[l + 32];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        t[l] += t[l + 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        sum = 0;
        for (int k = 0; k < 16; k++)
            sum += t[k];
        out[get_group_id(0)] = sum;
    }
}

//: kernel argmax
//: local 64
//: global 64*g
//: at g=2
//: at g=3
//: marked local store
kernel void argmax(global const float *in, global int *where)
{
    local float value[64];
    local int index[64];
    int l = get_local_id(0), i = get_global_id(0);

    value[l] = in[i];
    index[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s) {
            float a = value[l], b = value[l + s];
            if (b > a) {
                value[l] = b;
                index[l] = i + s;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        where[get_group_id(0)] = index[0];
}

//: kernel add_block_sums
//: local 64
//: global 64*g
//: at g=2 n=100
//: at g=3 n=192
kernel void add_block_sums(global int *data, global const int *sums, int n)
{
    int i = get_global_id(0), block = get_group_id(0);

    if (block > 0 && i < n)
        data[i] += sums[block - 1];
}

//: kernel bitonic_local_64
//: scalar ascending = 1
//: local 32
//: global 32*g
//: at g=1
//: at g=3
kernel void bitonic_local_64(global uint *keys, uint ascending)
{
    local uint t[64];
    uint l = get_local_id(0), base = get_group_id(0) * 64;

    t[l] = keys[base + l];
    t[l + 32] = keys[base + l + 32];
    for (uint size = 2; size <= 64; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint p = 2 * l - (l & (stride - 1));
            uint a = t[p], b = t[p + stride];
            t[p] = min(a, b);
            t[p + stride] = max(a, b);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[base + l] = t[l];
    keys[base + l + 32] = t[l + 32];
}

//: kernel odd_even_step
//: local 64
//: global 64*g
//: at n=100 g=1 phase=0
//: at n=99 g=1 phase=1
kernel void odd_even_step(global float *a, int n, int phase)
{
    int i = 2 * get_global_id(0) + phase;

    if (i + 1 < n) {
        float x = a[i], y = a[i + 1];
        a[i] = fmin(x, y);
        a[i + 1] = fmax(x, y);
    }
}

//: kernel rank_sort
//: local 32
//: global 32*ceil(n/32)
//: at n=40
//: at n=64
//: buffer out n
kernel void rank_sort(global const float *in, global float *out, int n)
{
    int i = get_global_id(0), rank = 0;

    if (i >= n)
        return;
    float key = in[i];
    for (int j = 0; j < n; j++) {
        float other = in[j];
        rank += other < key || (other == key && j < i);
    }
    out[rank] = key;
}

//: kernel digit_histogram
//: local 64
//: global 64*g
//: at g=2 shift=0
//: at g=3 shift=4
kernel void digit_histogram(global const uint *keys, global uint *counts, uint shift)
{
    local uint bins[16];
    int l = get_local_id(0);

    if (l < 16)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[keys[get_global_id(0)] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        counts[l * get_num_groups(0) + get_group_id(0)] = bins[l];
}

//: kernel compact_flags
//: local 64
//: global 64*g
//: at g=2
//: at g=3
//: marked global store, global load
//: buffer position 64*g = i
//: buffer flags 64*g = 1
//: buffer out 64*g
kernel void compact_flags(global const int *in, global const int *flags,
                          global const int *position, global int *out)
{
    int i = get_global_id(0);

    if (flags[i])
        out[position[i]] = in[i];
}

//: kernel dot_group
//: local 64
//: global 64*g
//: at g=2
//: at g=4
kernel void dot_group(global const double *x, global const double *y, global double *partial)
{
    local double t[64];
    int l = get_local_id(0);

    t[l] = x[get_global_id(0)] * y[get_global_id(0)];
    for (int s = 32; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            t[l] += t[l + s];
    }
    if (!l)
        partial[get_group_id(0)] = t[0];
}

//: kernel scan_serial_chunks
//: local 32
//: global 32*g
//: at g=1 per=5
//: at g=2 per=8
//: assume per >= 1
kernel void scan_serial_chunks(global const float *in, global float *out, int per)
{
    int start = get_global_id(0) * per;
    float sum = 0.0f;

    for (int i = start; i < start + per; ++i) {
        sum += in[i];
        out[i] = sum;
    }
}

//: kernel parts_of_groups
//: local 16
//: global 16*g
//: at g=3 n=96
//: at g=2 n=192
//: assume n % 96 = 0
//: assume n >= 96
//: at-sizes
//: marked barrier
kernel void parts_of_groups(global const float *in, global float *out, int n)
{
    local float carry;
    int part = n / get_num_groups(0), begin = get_group_id(0) * part;
    int end = get_group_id(0) == get_num_groups(0) - 1 ? n : begin + part;
    float sum = 0.0f;

    for (int i = begin; i < end; i += get_local_size(0)) {
        sum += in[i + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == get_local_size(0) - 1)
            carry = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = carry;
        out[i + get_local_id(0)] = sum;
    }
}

//: kernel sides_with_barriers
//: local 16
//: global 16*g
//: at g=3
//: at g=5
//: marked barrier
kernel void sides_with_barriers(global float *out)
{
    local float t[16];
    int l = get_local_id(0), g = get_group_id(0);

    t[l] = l;
    if (g < 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[15 - l];
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = 2 * t[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[15 - l];
    }
}
