/* data.cl - subscripts that follow from data, which lie in no order; the format is that of
 * styles/README.md
 */

//: kernel plain
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void plain(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i]];
}

//: kernel halves
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void halves(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] >> 1];
}

//: kernel eighths
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void eighths(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] >> 3];
}

//: kernel thirds
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void thirds(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] / 3];
}

//: kernel moved
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void moved(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] + 5) / 4];
}

//: kernel rest
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void rest(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] % 5000];
}

//: kernel twice
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void twice(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] / 2 / 2];
}

//: kernel rest_of_half
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void rest_of_half(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] >> 1) % 3000];
}

//: kernel equal
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void equal(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] > 600000];
}

//: kernel equal_at
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void equal_at(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] == 3) + 5];
}

//: kernel both
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void both(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] > 300000 && x[i] < 700000];
}

//: kernel either
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void either(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] < 300000 || x[i] > 700000];
}

//: kernel not
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void not(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[!(x[i] & 1)];
}

//: kernel greater
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void greater(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[isgreater((float)x[i], 300000.0f)];
}

//: kernel product
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void product(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] > 600000) * 100];
}

//: kernel byte
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void byte(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(uchar)x[i]];
}

//: kernel byte_of_eighth
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void byte_of_eighth(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(uchar)(x[i] >> 3)];
}

//: kernel short_one
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void short_one(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(ushort)(x[i] * 3)];
}

//: kernel truth
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void truth(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(bool)x[i]];
}

//: kernel least
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void least(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[min(x[i] & 127, 80)];
}

//: kernel clamped
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void clamped(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[clamp(x[i] & 127, 30, 90)];
}

//: kernel bits
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void bits(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[popcount((uchar)(x[i] >> 6))];
}

//: kernel chosen
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void chosen(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] & 4 ? x[i] & 15 : 20];
}

//: kernel two_sides
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void two_sides(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] > 200000 ? x[i] : x[i] & 15];
}

//: kernel parted
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void parted(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[(x[i] & 15) ^ (x[i] >> 9 & 3)];
}

//: kernel masked
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void masked(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i] & (x[i] >> 1 & 7)];
}

//: kernel rows
//: local 64
//: global n
//: assume n % 64 = 0
//: at n=1024
//: at n=8192
//: buffer x n = 31*i*i+7919*i-1048576*floor((31*i*i+7919*i)/1048576)
//: buffer t 1100000
kernel void rows(global float *y, global const int *x, global const float *t)
{
    int i = get_global_id(0);

    y[i] = t[x[i / 64] / 2 + i % 64];
}
