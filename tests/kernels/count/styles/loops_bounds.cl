/* loops_bounds.cl - loops whose starts wrap, and whose bounds depend on ids */

//: kernel suffix_sum
//: local 64
//: global 64
//: at n=40
//: at n=70
kernel void suffix_sum(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    float sum = 0.0f;

    for (uint j = i - 1; j < n; j++)
        sum += a[j];
    out[i] = sum;
}

//: kernel halo_row
//: local 16
//: global 16*g
//: at g=2 w=29
//: at g=3 w=48
//: buffer in w+16
kernel void halo_row(global const float *in, global float *out, uint w)
{
    int x = get_global_id(0);
    float sum = 0.0f;

    for (int dx = x - 2; dx <= x + 2 && dx < w; dx++)
        sum += in[dx];
    if (x < w)
        out[x] = sum;
}

//: kernel never_runs
//: local 32
//: global 32*g
//: at g=1
//: at g=2
kernel void never_runs(global float *a)
{
    for (int j = -3; j < get_local_size(0); j++)
        a[j + 3] += 1.0f;
    a[get_global_id(0)] *= 2.0f;
}

//: kernel back_substitution
//: local 32
//: global 32*g
//: at g=1 n=17
//: at g=2 n=40
kernel void back_substitution(global const float *u, global const float *b, global float *x,
                              uint n)
{
    uint column = get_global_id(0);
    float last = 0.0f;

    for (uint i = n - 1; i < n; i--) {
        last = b[column * n + i] - u[i] * last;
        x[column * n + i] = last;
    }
}

//: kernel backward_walk
//: local 32
//: global 32*g
//: at g=1 n=17
//: at g=2 n=40
kernel void backward_walk(global const float *a, global float *out, uint n)
{
    float sum = 0.0f;

    for (uint i = n; i-- > 0;)
        sum = sum * 0.5f + a[i];
    out[get_global_id(0)] = sum;
}

//: kernel triangle_upwards
//: local 16
//: global 16*g
//: at g=2
//: at g=3
kernel void triangle_upwards(global const float *a, global float *out)
{
    uint i = get_global_id(0);
    float sum = 0.0f;

    for (uint k = i; k <= i; k--)
        sum += a[k];
    out[i] = sum;
}

//: kernel window_before
//: local 32
//: global 32*g
//: at g=1 r=3
//: at g=3 r=9
kernel void window_before(global const float *a, global float *out, uint r)
{
    uint i = get_global_id(0);
    float sum = 0.0f;

    for (uint j = i - r; j < i; j++)
        sum += a[j];
    out[i] = sum;
}

//: kernel clamped_unsigned
//: local 32
//: global 32*g
//: at g=1 n=20
//: at g=2 n=50
kernel void clamped_unsigned(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    float sum = 0.0f;

    for (uint j = 0; j < min(i - 1, n); j++)
        sum += a[j];
    out[i] = sum;
}

//: kernel narrow_counter
//: local 32
//: global 32*g
//: at g=1 n=20
//: at g=2 n=50
kernel void narrow_counter(global const float *a, global float *out, uchar n)
{
    float sum = 0.0f;

    for (uchar j = 0; j < n; j++)
        sum += a[j];
    out[get_global_id(0)] = sum;
}

//: kernel ring_position
//: local 32
//: global 32*g
//: at g=1
//: at g=2
kernel void ring_position(global const float *ring, global float *out)
{
    uchar at = 250;
    float sum = 0.0f;

    for (int j = 0; j < 12; j++) {
        if (at < 4)
            sum += ring[at];
        at++;
    }
    out[get_global_id(0)] = sum;
}

//: kernel long_start
//: local 16
//: global 16*g
//: at g=2 n=20
//: at g=3 n=64
kernel void long_start(global const float *a, global float *out, ulong n)
{
    int lo = (int)get_global_id(0) - 4;
    float sum = 0.0f;

    for (size_t j = lo; j < n; j++)
        sum += a[j];
    out[get_global_id(0)] = sum;
}

/* A part of an array for each group; the last one takes the rest. */
//: kernel reduce_regions
//: local 64
//: global 64*g
//: at g=3 n=1000
//: at g=4 n=517
kernel void reduce_regions(global const float *in, global float *sums, int n)
{
    local float part[64];
    int l = get_local_id(0), region = n / (int)get_num_groups(0);
    int start = get_group_id(0) * region;
    int stop = get_group_id(0) == get_num_groups(0) - 1 ? n : start + region;
    float sum = 0.0f;

    for (int i = start + l; i < stop; i += 64)
        sum += in[i];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = part[0];
}

//: kernel scan_regions
//: local 64
//: global 256
//: at n=1000
//: at n=517
kernel void scan_regions(global const float *in, global float *out, int n)
{
    int region = n / 4, start = get_group_id(0) * region, stop;
    int i = start + get_local_id(0);
    float seed = 0.0f;

    if (get_group_id(0) == get_num_groups(0) - 1)
        stop = n;
    else
        stop = start + region;
    while (i < stop) {
        seed += in[i];
        out[i] = seed;
        i += get_local_size(0);
    }
}

//: kernel histogram_regions
//: local 32
//: global 32*g
//: at g=2 n=300
//: at g=5 n=128
kernel void histogram_regions(global const uint *keys, global uint *counts, uint n, uint g)
{
    uint region = 8 * (n / (8 * g)), start = get_group_id(0) * region;
    bool last = get_group_id(0) == g - 1;
    uint found = 0;

    for (uint i = start + get_local_id(0); i < (last ? n : start + region); i += 32)
        found += keys[i] & 1;
    counts[get_global_id(0)] = found;
}

//: kernel first_group_more
//: local 32
//: global 32*g
//: at g=1 n=9 m=4
//: at g=3 n=20 m=6
kernel void first_group_more(global const float *a, global float *out, int n, int m)
{
    int rounds = m;
    float sum = 0.0f;

    if (get_group_id(0) == 0)
        rounds = n + m;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k <= r; k++)
            sum = sum * 0.25f + a[k];
    out[get_global_id(0)] = sum;
}

//: kernel lanes_differ
//: local 64
//: global 64*g
//: at g=1 n=9 m=14
//: at g=2 n=20 m=6
kernel void lanes_differ(global const float *a, global float *out, int n, int m)
{
    int l = get_local_id(0), rounds = l < 40 ? n : m;
    float sum = 0.0f;

    for (int r = 0; r < rounds; r++)
        sum = sum * 0.25f + a[r];
    out[get_global_id(0)] = sum;
}

//: kernel edge_columns
//: local 16
//: global 16*g
//: at g=2 w=32 h=5
//: at g=3 w=40 h=9
kernel void edge_columns(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), step = 1;
    float sum = 0.0f;

    if (x >= w)
        return;
    int rows = x == 0 || x == w - 1 ? h : 2 * h;
    for (int y = 0; y < rows; y += step)
        sum += in[y * w + x];
    out[x] = sum;
}

//: kernel phases
//: local 32
//: global 96
//: at n=9 m=4
//: at n=20 m=6
kernel void phases(global const float *a, global float *out, int n, int m)
{
    int rounds;
    float sum = 0.0f;

    switch (get_group_id(0)) {
    case 0:
        rounds = n;
        break;
    case 1:
        rounds = 2 * m;
        break;
    default:
        rounds = 4;
    }
    for (int r = 0; r < rounds; r++)
        sum = sum * 0.25f + a[r];
    out[get_global_id(0)] = sum;
}

//: kernel two_loops_one_variable
//: local 32
//: global 32*g
//: at g=1 n=9 m=4
//: at g=3 n=20 m=30
kernel void two_loops_one_variable(global const float *a, global float *out, int n, int m)
{
    int j = 0, turn = get_group_id(0) ? n : m;
    float sum = 0.0f;

    for (; j < turn; j++)
        sum += a[j];
    for (; j < 32; j++)
        sum *= 0.5f;
    out[get_global_id(0)] = sum;
}

//: kernel short_blocks
//: local 32
//: global 32*g
//: at g=2 n=100 blocks=3 step=32
//: at g=3 n=70 blocks=5 step=40
//: buffer in 1000
//: assume step >= 1
//: estimates
//: refused 'i' of 16 bits may wrap, and only an exit then ends it: assume that it does not ("blocks < 32768")
//: advice assume blocks < 32768 and step >= 1
//: advice marked all
kernel void short_blocks(global const float *in, global float *out, int n, int blocks, int step)
{
    int pos = get_local_id(0);
    float s = 0;

    for (ushort i = 0; i < blocks; i++) {
        if (pos >= n)
            break;
        s += in[pos];
        pos += step;
    }
    out[get_global_id(0)] = s;
}
