/* tables.cl - dynamic programming, strings, and what is left */

//: kernel wavefront_diagonal
//: scalar penalty = 1
//: local 32
//: global 32*ceil(n/32)
//: at n=20 d=5
//: at n=40 d=60
//: assume n >= 1 and d >= 0 and d <= 2*n-2
kernel void wavefront_diagonal(global int *score, global const int *match, int penalty, int n,
                               int d)
{
    int i = get_global_id(0), j = d - i;

    if (i >= n || j < 0 || j >= n)
        return;
    int at = (i + 1) * (n + 1) + j + 1;
    int best = score[at - n - 2] + match[i * n + j];
    best = max(best, score[at - 1] - penalty);
    score[at] = max(best, score[at - n - 1] - penalty);
}

//: kernel needle_tile
//: scalar penalty = 1
//: local 16
//: global 16*g
//: at g=1
//: at g=3
kernel void needle_tile(global const int *in, global int *out, int penalty)
{
    local int t[17][17];
    int l = get_local_id(0), base = get_group_id(0) * 17 * 17;

    for (int i = 0; i < 17; i++)
        t[i][l + 1] = in[base + i * 17 + l + 1];
    t[l + 1][0] = in[base + (l + 1) * 17];
    if (l == 0)
        t[0][0] = in[base];
    for (int m = 0; m < 16; m++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l <= m) {
            int x = l + 1, y = m - l + 1;
            t[y][x] = max(t[y - 1][x - 1] + t[y][x], max(t[y][x - 1], t[y - 1][x]) - penalty);
        }
    }
    for (int m = 14; m >= 0; m--) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l <= m) {
            int x = l + 16 - m, y = 16 - l;
            t[y][x] = max(t[y - 1][x - 1] + t[y][x], max(t[y][x - 1], t[y - 1][x]) - penalty);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i < 17; i++)
        out[base + i * 17 + l + 1] = t[i][l + 1];
}

//: kernel path_row
//: local 64
//: global 64*ceil(n/64)
//: at n=100 row=2
//: at n=128 row=5
//: assume n >= 2 and row >= 1
kernel void path_row(global const int *cost, global const int *before, global int *after, int n,
                     int row)
{
    int x = get_global_id(0);

    if (x < n) {
        int least = before[x];
        if (x > 0)
            least = min(least, before[x - 1]);
        if (x < n - 1)
            least = min(least, before[x + 1]);
        after[x] = least + cost[row * n + x];
    }
}

//: kernel knapsack_row
//: scalar value = 3
//: local 64
//: global 64*ceil((capacity+1)/64)
//: at capacity=100 weight=7
//: at capacity=63 weight=20
//: assume weight >= 0 and capacity >= weight
kernel void knapsack_row(global const int *before, global int *after, int weight, int value,
                         int capacity)
{
    int c = get_global_id(0);

    if (c > capacity)
        return;
    after[c] = c < weight ? before[c] : max(before[c], before[c - weight] + value);
}

//: kernel find_string
//: local 64
//: global 64*ceil(n/64)
//: at n=100 m=4
//: at n=128 m=3
//: assume m >= 1 and n >= m
//: marked constant load, global load, global atomic inc
kernel void find_string(global const char *text, constant char *word, global int *found, int n,
                        int m)
{
    int i = get_global_id(0), k;

    if (i > n - m)
        return;
    bool same = true;
    for (k = 0; k < m; k++)
        same = same && text[i + k] == word[k];
    if (same)
        atomic_inc(found);
}

//: kernel mandelbrot_fixed
//: lanes-marked divergent branch
//: local 16,4
//: global 16*gx,4*gy
//: at gx=1 gy=2 most=10
//: at gx=2 gy=1 most=5
//: assume most >= 0
kernel void mandelbrot_fixed(global int *out, float scale, int most)
{
    int x = get_global_id(0), y = get_global_id(1), count = 0;
    float cr = x * scale - 2.0f, ci = y * scale - 1.0f, zr = 0.0f, zi = 0.0f;

    for (int i = 0; i < most; i++) {
        float r = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = r;
        count += zr * zr + zi * zi < 4.0f ? 1 : 0;
    }
    out[y * get_global_size(0) + x] = count;
}

//: kernel switch_by_lane
//: local 64
//: global 64*g
//: at g=1
//: at g=2
kernel void switch_by_lane(global float *a)
{
    int i = get_global_id(0);

    switch (i & 3) {
    case 0:
        a[i] += 1.0f;
        break;
    case 1:
        a[i] *= 2.0f;
    case 2:
        a[i] = a[i] / 3.0f;
        break;
    default:
        a[i] = sqrt(a[i]);
    }
}

//: kernel polynomial_horner
//: local 64
//: global 64*ceil(n/64)
//: at n=100 degree=5
//: at n=64 degree=9
//: assume degree >= 0
kernel void polynomial_horner(global const double *x, constant double *c, global double *y,
                              int n, int degree)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    double v = c[degree], at = x[i];
    for (int k = degree - 1; k >= 0; --k)
        v = v * at + c[k];
    y[i] = v;
}

//: kernel two_pointers
//: no-lanes the pointer has two targets, and the access no array
//: buffer out n
//: buffer a n+1
//: buffer b n+1
//: local 64
//: global 64*g
//: at g=1 n=50
//: at g=2 n=128
kernel void two_pointers(global const float *a, global const float *b, global float *out, int n)
{
    int i = get_global_id(0);
    global const float *from = get_group_id(0) % 2 ? a : b;

    if (i < n)
        out[i] = from[i] + from[i + 1];
}
