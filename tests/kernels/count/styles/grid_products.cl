/* Products of sizes and ids in conditions: several elements of a work-item the global size
 * apart, chunks of a symbolic length, rows and columns in one index, tiles with ghost zones.
 */

//: kernel scale_wpt
//: local 64
//: global 64*g
//: at n=600 g=2
//: at n=100 g=3
kernel void scale_wpt(global float *x, float alpha, int n)
{
    for (int w = 0; w < 4; w++) {
        int id = w * get_global_size(0) + get_global_id(0);

        if (id < n)
            x[id] *= alpha;
    }
}

//: kernel copy_exact
//: local 64
//: global 64*g
//: at n=512 g=2
//: at n=1024 g=4
kernel void copy_exact(global const float4 *x, global float4 *y)
{
    #pragma unroll
    for (int w = 0; w < 2; w += 1) {
        const int id = w * get_global_size(0) + get_global_id(0);

        y[id] = x[id];
    }
}

//: kernel copy_half
//: local 32
//: global 32*g
//: at n=250 g=2
//: at n=64 g=3
kernel void copy_half(global const float *x, global float *y, int n)
{
    if (get_global_id(0) < n / 2) {
        #pragma unroll
        for (int w = 0; w < 2; w++) {
            const int id = w * get_global_size(0) + get_global_id(0);

            if (id < n)
                y[id] = x[id];
        }
    }
}

//: kernel matvec_wpt
//: local 64
//: global 64*g
//: at n=9 m=300 g=2
//: at n=16 m=100 g=1
kernel void matvec_wpt(global const float *a, global const float *x, global float *y, int n, int m)
{
    for (int w = 0; w < 2; w++) {
        int row = w * get_global_size(0) + get_global_id(0);

        if (row < m) {
            float sum = 0;

            for (int k = 0; k < n; k++)
                sum += a[k * m + row] * x[k];
            y[row] = sum;
        }
    }
}

//: kernel matvec_tiles
//: local 32
//: global 32*g
//: assume n % 32 = 0
//: at n=64 m=100 g=2
//: at n=32 m=70 g=1
kernel void matvec_tiles(global const float *a, global const float *x, global float *y, int n, int m)
{
    local float part[32];
    float sums[2];

    for (int w = 0; w < 2; w++)
        sums[w] = 0;
    for (int first = 0; first < n; first += 32) {
        part[get_local_id(0)] = x[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int w = 0; w < 2; w++) {
            int row = w * get_global_size(0) + get_global_id(0);

            if (row < m)
                for (int k = 0; k < 32; k++)
                    sums[w] += a[(first + k) * m + row] * part[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int w = 0; w < 2; w++) {
        int row = w * get_global_size(0) + get_global_id(0);

        if (row < m)
            y[row] = sums[w];
    }
}

//: kernel rank_one
//: local 16,4
//: global 16*g,4*h
//: at n=50 m=20 g=1 h=2
//: at n=20 m=7 g=1 h=1
kernel void rank_one(int n, int m, float alpha, global const float *x, global const float *y, global float *a)
{
    for (int v = 0; v < 2; v++) {
        int col = v * get_global_size(1) + get_global_id(1);

        for (int w = 0; w < 2; w++) {
            int row = w * get_global_size(0) + get_global_id(0);

            if (row < n && col < m)
                a[col * n + row] += alpha * x[row] * y[col];
        }
    }
}

//: kernel rank_one_upper
//: local 8,8
//: global 8*g,8*g
//: at n=30 g=2
//: at n=16 g=1
kernel void rank_one_upper(int n, float alpha, global const float *x, global float *a)
{
    for (int v = 0; v < 2; v++) {
        int col = v * get_global_size(1) + get_global_id(1);

        for (int w = 0; w < 2; w++) {
            int row = w * get_global_size(0) + get_global_id(0);

            if (row < n && col < n && row <= col)
                a[col * n + row] += alpha * x[row] * x[col];
        }
    }
}

//: kernel rank_two_lower
//: local 8,8
//: global 8*g,8*g
//: at n=30 g=2
//: at n=16 g=1
kernel void rank_two_lower(int n, float alpha, global const float *x, global const float *y, global float *a)
{
    for (int w = 0; w < 2; w++) {
        int id1 = w * get_global_size(0) + get_global_id(0);
        int id2 = get_global_id(1);

        if (id1 < n && id2 < n) {
            if (id1 >= id2)
                a[id2 * n + id1] += alpha * (x[id1] * y[id2] + y[id1] * x[id2]);
        }
    }
}

//: kernel chunks
//: local 32
//: global 32*g
//: assume c >= 1
//: at n=500 c=9 g=2
//: at n=300 c=4 g=3
//: lanes-marked divergent branch
kernel void chunks(global float *a, int n, int c)
{
    int start = get_global_id(0) * c, end = min(start + c, n);

    for (int i = start; i < end; i++)
        a[i] += 1;
}

//: kernel plane_rows
//: local 16,4
//: global 16*g,4*h
//: at n=400 g=2 h=3
//: at n=100 g=1 h=3
kernel void plane_rows(global float *a, int n)
{
    int id = get_global_id(1) * get_global_size(0) + get_global_id(0);

    if (id < n)
        a[id] = id;
}

//: kernel matrix_of_line
//: local 32
//: global 32*g
//: assume cols >= 1
//: at rows=9 cols=20 g=5
//: at rows=4 cols=64 g=9
kernel void matrix_of_line(global const float *a, global float *b, int rows, int cols)
{
    for (int i = get_global_id(0); i < rows * cols; i += get_global_size(0))
        b[i] = 2 * a[i];
}

//: kernel columns_unknown
//: local 16,4
//: global 16*g,4*h
//: at n=400 cols=40 g=2 h=3
//: at n=100 cols=40 g=1 h=3
//: noted give 'cols' as a number, as in
//: advice assume cols = 40
kernel void columns_unknown(global float *a, int n, int cols)
{
    int i = get_global_id(1), j = get_global_id(0);

    if (i * cols + j < n)
        a[i * cols + j] = 1;
}

//: kernel columns_known
//: local 16,4
//: global cols,4*h
//: at n=400 cols=48 h=3
//: at n=100 cols=16 h=3
kernel void columns_known(global float *a, int n, int cols)
{
    int i = get_global_id(1), j = get_global_id(0);

    if (i * cols + j < n)
        a[i * cols + j] = 1;
}

//: kernel windows
//: local 8,8
//: global 8*g,8*h
//: assume stride = 2
//: at w=20 h=1 g=2 k=3 pad=1 stride=2
//: at w=16 h=1 g=1 k=2 pad=0 stride=2
//: lanes-marked divergent branch
//: buffer im w*16
kernel void windows(global const float *im, global float *col, int w, int k, int pad, int stride)
{
    int x = get_global_id(0), y = get_global_id(1);

    for (int i = 0; i < k; i++) {
        int at = stride * x + i - pad;

        if (at >= 0 && at < w)
            col[(y * 64 + x) * 8 + i] = im[y * w + at];
    }
}

//: kernel windows_free
//: local 8,8
//: global 8*g,8*h
//: at w=20 h=1 g=2 k=3 pad=1 stride=2
//: at w=16 h=1 g=1 k=2 pad=0 stride=2
//: noted give 'stride' as a number
//: advice assume stride = 2
//: lanes-marked divergent branch
//: buffer im w*16
kernel void windows_free(global const float *im, global float *col, int w, int k, int pad, int stride)
{
    int x = get_global_id(0), y = get_global_id(1);

    for (int i = 0; i < k; i++) {
        int at = stride * x + i - pad;

        if (at >= 0 && at < w)
            col[(y * 64 + x) * 8 + i] = im[y * w + at];
    }
}

//: kernel heat_pyramid
//: local 16,16
//: global 16*g,16*h
//: options -DT=16
//: at rows=17 cols=21 steps=2 g=2 h=2
//: at rows=24 cols=24 steps=2 g=2 h=2
//: noted give 'steps' as a number
//: advice assume steps = 2 and rows >= 1 and cols >= 1
kernel void heat_pyramid(int steps, global const float *power, global const float *old, global float *new, int cols, int rows)
{
    local float heat[T][T], next[T][T];
    int tx = get_local_id(0), ty = get_local_id(1);
    int side = T - steps * 2;
    int top = side * get_group_id(1) - steps, left = side * get_group_id(0) - steps;
    int y = top + ty, x = left + tx;

    if (y >= 0 && y <= rows - 1 && x >= 0 && x <= cols - 1)
        heat[ty][tx] = old[cols * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    int low = top < 0 ? -top : 0, high = top + T - 1 > rows - 1 ? T - 1 - (top + T - rows) : T - 1;

    for (int i = 0; i < steps; i++) {
        if (tx >= i + 1 && tx <= T - i - 2 && ty >= i + 1 && ty <= T - i - 2 && ty >= low && ty <= high)
            next[ty][tx] = heat[ty][tx] + 0.5f * power[(y < 0 ? 0 : y > rows - 1 ? rows - 1 : y) * cols];
        barrier(CLK_LOCAL_MEM_FENCE);
        heat[ty][tx] = next[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    new[(get_group_id(1) * 16 + ty) * 64 + get_group_id(0) * 16 + tx] = heat[ty][tx];
}

//: kernel path_pyramid
//: local 32
//: global 32*g
//: options -DT=32
//: assume cols >= 1
//: at cols=70 steps=3 first=1 g=3
//: at cols=40 steps=3 first=0 g=2
//: noted give 'steps' as a number
//: advice assume steps = 3 and cols >= 1
kernel void path_pyramid(int steps, global const int *wall, global const int *cost, global int *out, int cols, int first)
{
    local int now[T], then[T];
    int tx = get_local_id(0), side = T - steps * 2;
    int left = side * get_group_id(0) - steps, x = left + tx;
    bool inside = x >= 0 && x < cols;

    if (inside)
        now[tx] = cost[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < steps; t++) {
        if (tx > t && tx < T - t - 1 && inside)
            then[tx] = now[tx - 1] + wall[cols * (first + t) + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        now[tx] = then[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && tx >= steps && tx < T - steps)
        out[x] = now[tx];
}
//: kernel chunks_of_groups
//: local 32
//: global 32*g
//: assume c >= 1
//: at n=500 c=90 g=7
//: at n=300 c=64 g=3
kernel void chunks_of_groups(global const float *a, global float *sums, int n, int c)
{
    int start = get_group_id(0) * c;
    int end = min(start + c, n);
    float s = 0;

    for (int i = start + get_local_id(0); i < end; i += get_local_size(0))
        s += a[i];
    sums[get_global_id(0)] = s;
}

//: kernel chunks_covering
//: local 32
//: global 32*g
//: assume n >= 1
//: at n=500 g=2
//: at n=65 g=3
kernel void chunks_covering(global float *a, int n)
{
    int c = (n + get_global_size(0) - 1) / get_global_size(0);
    int start = get_global_id(0) * c;

    for (int k = 0; k < c; k++)
        if (start + k < n)
            a[start + k] += 1;
}

