/* spread.cl - places of a lane's own that data move a little, with the offset in a range; the format
 * is that of styles/README.md
 */

//: kernel bit
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void bit(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1)];
}

//: kernel greater
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void greater(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] > 5000)];
}

//: kernel rest
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void rest(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + x[i] % 4];
}

//: kernel choice
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 2*n+8
kernel void choice(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[2 * i + (x[i] > 5000 ? 1 : 0)];
}

//: kernel pitch
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 pitch=96
//: at n=8192 pitch=1000
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t pitch*(n/64+2)
kernel void pitch(global float *y, global const int *x, global const float *t, int pitch)
{
    int i = get_global_id(0);

    y[i] = t[get_group_id(0) * pitch + get_local_id(0) + (x[i] & 3)];
}

//: kernel minus
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+16
kernel void minus(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 8 - (x[i] & 7)];
}

//: kernel scaled
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+40
kernel void scaled(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 32 * (x[i] & 1)];
}

//: kernel bit_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void bit_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1)];
}

//: kernel greater_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void greater_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] > 5000)];
}

//: kernel rest_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void rest_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[i + x[i] % 4];
}

//: kernel choice_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 2*n+8
kernel void choice_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[2 * i + (x[i] > 5000 ? 1 : 0)];
}

//: kernel pitch_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 pitch=96
//: at n=8192 pitch=1000
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t pitch*(n/64+2)
kernel void pitch_double(global double *y, global const int *x, global const double *t, int pitch)
{
    int i = get_global_id(0);

    y[i] = t[get_group_id(0) * pitch + get_local_id(0) + (x[i] & 3)];
}

//: kernel minus_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+16
kernel void minus_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 8 - (x[i] & 7)];
}

//: kernel scaled_double
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+40
kernel void scaled_double(global double *y, global const int *x, global const double *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 32 * (x[i] & 1)];
}

//: kernel bit_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void bit_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1)];
}

//: kernel greater_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void greater_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] > 5000)];
}

//: kernel rest_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void rest_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[i + x[i] % 4];
}

//: kernel choice_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 2*n+8
kernel void choice_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[2 * i + (x[i] > 5000 ? 1 : 0)];
}

//: kernel pitch_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 pitch=96
//: at n=8192 pitch=1000
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t pitch*(n/64+2)
kernel void pitch_byte(global uchar *y, global const int *x, global const uchar *t, int pitch)
{
    int i = get_global_id(0);

    y[i] = t[get_group_id(0) * pitch + get_local_id(0) + (x[i] & 3)];
}

//: kernel minus_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+16
kernel void minus_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 8 - (x[i] & 7)];
}

//: kernel scaled_byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+40
kernel void scaled_byte(global uchar *y, global const int *x, global const uchar *t)
{
    int i = get_global_id(0);

    y[i] = t[i + 32 * (x[i] & 1)];
}

//: kernel wide
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+300
kernel void wide(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 255)];
}

//: kernel own
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 16*n+16
kernel void own(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[16 * i + (x[i] & 15)];
}

//: kernel unaligned
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 5*n+8
kernel void unaligned(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[5 * i + x[i] % 5];
}

//: kernel vector
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 4*n+32
kernel void vector(global float4 *y, global const int *x, global const float4 *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1)];
}

//: kernel two
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 512*(n/64+2)+70
kernel void two(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(i / 64 + (x[i] & 1)) * 512 + i % 64 + (x[i] >> 4 & 1)];
}

//: kernel xor
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void xor(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i ^ (x[i] & 3)];
}

//: kernel clamped
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void clamped(global float *y, global const int *x, global const float *t, int n)
{
    int i = get_global_id(0);

    y[i] = t[clamp(i + (x[i] & 3) - 1, 0, n - 1)];
}

//: kernel wrapped
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void wrapped(global float *y, global const int *x, global const float *t, int n)
{
    int i = get_global_id(0);

    y[i] = t[(i + (x[i] & 3)) % n];
}

//: kernel masked
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+1024
kernel void masked(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(i + (x[i] & 3)) & 1023];
}

//: kernel sum
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void sum(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1) + (x[i] >> 3 & 1)];
}

//: kernel turned
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void turned(global float *y, global const int *x, global const float *t, int n)
{
    int i = get_global_id(0);

    y[i] = t[n - 1 - i + (x[i] & 1)];
}

//: kernel column
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+4200
kernel void column(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i % 64 * 64 + i / 64 + (x[i] & 1)];
}

//: kernel bits
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void bits(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + popcount(x[i] & 15)];
}

//: kernel by_group
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+64
kernel void by_group(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[get_group_id(0) * 64 + (x[i] & 63)];
}

//: kernel start
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 4160
kernel void start(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i / 64] & 4095) + i % 64];
}

//: kernel rows
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 pitch=1021
//: at n=8192 pitch=9001
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 4*pitch+64
kernel void rows(global float *y, global const int *x, global const float *t, int pitch)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] & 3) * pitch + i];
}

//: kernel store
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer y n+8
kernel void store(global float *y, global const int *x)
{
    int i = get_global_id(0);

    y[i + (x[i] & 1)] = 1;
}

//: kernel ragged
//: local 64
//: global 64*ceil(n/64)
//: at n=1000
//: at n=7001
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void ragged(global float *y, global const int *x, global const float *t, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = t[i + (x[i] & 3)];
}

//: kernel loop
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 m=7
//: at n=4096 m=20
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8*m+8
kernel void loop(global float *y, global const int *x, global const float *t, int m)
{
    int i = get_global_id(0);
    float sum = 0;

    for (int k = 0; k < m; k++)
        sum += t[k * 8 + i + (x[i] & 1)];
    y[i] = sum;
}

//: kernel loop_table
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024 m=7
//: at n=4096 m=20
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t 16*m+64
kernel void loop_table(global float *y, global const int *x, global const float *t, int m)
{
    int i = get_global_id(0);
    float sum = 0;

    for (int k = 0; k < m; k++)
        sum += t[k * 16 + (x[i] & 15)];
    y[i] = sum;
}

//: kernel stencil
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+8
kernel void stencil(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0), k = i + (x[i] & 1);

    y[i] = t[k] + t[k + 1] + t[k + 2];
}

//: kernel plane
//: local 16,16
//: global n,n
//: assume n % 16 = 0
//: at n=64 pitch=99
//: at n=128 pitch=201
//: buffer x n*n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t pitch*(n+2)
kernel void plane(global float *y, global const int *x, global const float *t, int pitch)
{
    int i = get_global_id(0), j = get_global_id(1), w = get_global_size(0);
    int c = x[j * w + i];

    y[j * w + i] = t[(j + (c & 1)) * pitch + i + (c >> 3 & 1)];
}

//: kernel tile
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
kernel void tile(global float *y, global const int *x)
{
    local float s[160];
    int l = get_local_id(0), i = get_global_id(0);

    s[l] = i;
    s[l + 64] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = s[l + (x[i] & 1)] + s[l + 32 * (x[i] & 1)] + s[2 * l + (x[i] >> 2 & 1)] +
           s[l + (x[i] & 63)];
}

//: kernel tile_plane
//: local 16,16
//: global n,16
//: assume n % 16 = 0
//: at n=1024
//: at n=8192
//: buffer x n*16 = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
kernel void tile_plane(global float *y, global const int *x)
{
    local float s[18 * 32];
    int l = get_local_id(0), r = get_local_id(1), i = get_global_id(0) + r * 32;

    s[r * 32 + l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = s[(r + (x[i] & 1)) * 32 + l + (x[i] >> 3 & 1)];
}

//: kernel mask_holes
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+40
kernel void mask_holes(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 33)];
}

//: kernel mask_digits
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+110
kernel void mask_digits(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 100)];
}

//: kernel mask_halves
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = floor((31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576))/97)
//: buffer t n+1050
kernel void mask_halves(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[i + (x[i] & 1041)];
}
