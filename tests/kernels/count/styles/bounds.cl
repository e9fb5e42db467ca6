/* bounds.cl - guards and clamped loops with global sizes of their own, below, at and above
 * the sizes of the arrays: counts with minima and maxima in place of pieces
 */

//: kernel inner_points
//: local 8,4,2
//: global 8*gx,4*gy,2*gz
//: at n=13 m=9 p=5 gx=2 gy=3 gz=3
//: at n=17 m=8 p=2 gx=2 gy=3 gz=3
//: at n=2 m=3 p=3 gx=2 gy=1 gz=2
//: at n=1 m=1 p=1 gx=1 gy=1 gz=1
kernel void inner_points(global const float *a, global float *b, int n, int m, int p)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x >= 1 && x < n - 1 && y >= 1 && y < m - 1 && z >= 1 && z < p - 1) {
        int i = (z * m + y) * n + x;

        b[i] = a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * m] + a[i + n * m];
    }
}

//: kernel by_residue
//: local 16
//: global 16*g
//: at n=50 g=3
//: at n=50 g=4
//: at n=48 g=3
//: at n=2 g=2
kernel void by_residue(global float *a, int n)
{
    int i = get_global_id(0);

    if (i < n)
        switch (i % 3) {
        case 0:
            a[i] += 1.0f;
            break;
        case 1:
            a[i] *= 2.0f;
            break;
        default:
            a[i] -= 3.0f;
        }
}

//: kernel two_residues
//: local 64
//: global 64*g
//: at n=100 g=1
//: at n=100 g=2
//: at n=64 g=2
//: at n=0 g=1
kernel void two_residues(global float *a, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    if (i % 2 == 0)
        a[i] += 1.0f;
    if (i % 3 == 0)
        a[i] *= 2.0f;
    if (i % 5 == 4)
        a[i] -= 2.0f;
}

//: kernel window
//: local 8,8
//: global 8*gx,8*gy
//: at n=19 m=11 gx=2 gy=1
//: at n=19 m=11 gx=3 gy=2
//: at n=1 m=2 gx=1 gy=1
//: at n=21 m=4 gx=1 gy=3
//: buffer a n*m
//: buffer b 64*gx*gy
kernel void window(global const int *a, global int *b, int n, int m)
{
    int x = get_global_id(0), y = get_global_id(1), sum = 0;

    for (int j = max(0, y - 2); j <= min(m - 1, y + 2); j++)
        for (int i = max(0, x - 2); i <= min(n - 1, x + 2); i++)
            sum += a[j * n + i];
    b[y * 8 * get_num_groups(0) + x] = sum;
}

//: kernel halo_tiles
//: local 16
//: global 16*g
//: assume n >= 1
//: at n=29 g=2
//: at n=29 g=4
//: at n=56 g=4
//: at n=1 g=1
kernel void halo_tiles(global const float *a, global float *b, int n)
{
    local float tile[16];
    int l = get_local_id(0), first = 14 * get_group_id(0) - 1, x = first + l;
    int low = first < 0 ? -first : 0, high = first + 15 > n - 1 ? n - 1 - first : 15;
    int left = l - 1 < low ? low : l - 1, right = l + 1 > high ? high : l + 1;

    if (x >= 0 && x <= n - 1)
        tile[l] = a[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l >= 1 && l <= 14 && l >= low && l <= high)
        b[x] = tile[left] + tile[l] + tile[right];
}

//: kernel rows_of_a_triangle
//: local 16
//: global 16*g
//: at n=40 g=2
//: at n=40 g=3
//: at n=32 g=2
//: at n=3 g=2
kernel void rows_of_a_triangle(global const float *a, global float *b, int n)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int j = 0; j <= i; j++)
        sum += a[i * n + j];
    b[i] = sum;
}

//: kernel two_guards
//: local 16
//: global 16*g
//: at n=40 k=20 g=2
//: at n=20 k=40 g=3
//: at n=48 k=48 g=3
//: at n=1 k=2 g=1
kernel void two_guards(global float *a, int n, int k)
{
    int i = get_global_id(0);

    if (i < n && i > 0 && i % 4 != 1)
        a[i] += 1.0f;
    if (i % 2 && i < k)
        a[i] *= 2.0f;
}

//: kernel columns_of_image
//: local 8,8
//: global 8*ceil(k/8),8*g
//: at k=9 w=12 cols=4 pad=1 g=1
//: at k=20 w=30 cols=4 pad=2 g=2
//: buffer im w*64
//: buffer out 64*k*g
//: noted cannot be counted exactly
//: advice assume cols = 4
kernel void columns_of_image(global const float *im, global float *out, int k, int w, int cols, int pad)
{
    int id = get_global_id(0), y = get_global_id(1);
    int row = id / cols, col = id % cols, at = row * 2 + col - pad;

    if (id < k)
        out[y * k + id] = at >= 0 && at < w ? im[y * w + at] : 0.0f;
}
