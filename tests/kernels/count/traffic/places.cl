/* places.cl - quotients and remainders of ids by numbers, as in real kernels; the format is
 * that of styles/README.md, where sizes that nothing depends on stand for kernels of fixed sizes
 */

//: kernel channels
//: local 256
//: global 32*1024
//: buffer in 40000
//: at run=1
//: at run=2
kernel void channels(global float *out, global const float *in)
{
    int g = get_global_id(0), l = g % 1024, r = l / 32, c = l % 32, e = g / 1024 / 16;
    float s = 0;

    for (int v = -2; v <= 2; v++)
        s += in[e * 1024 + r * 32 + c + v + 2];
    out[g] = s;
}

//: kernel table
//: local 256
//: global n
//: assume n % 256 = 0
//: at n=1024
//: at n=32768
//: buffer in 65536
kernel void table(global float *out, global const float *in, int n)
{
    uint g = get_global_id(0);

    out[g] = in[g % 1024] + in[g & 1023] + in[g / 1024 % 16] + in[(g >> 5) & 31] +
             in[g / 16384 * 1024 + g % 1024];
}

//: kernel odd_table
//: local 256
//: global n
//: assume n % 256 = 0
//: at n=1280
//: at n=65536
kernel void odd_table(global float *out, global const float *in, int n)
{
    size_t g = get_global_id(0);

    out[g] = in[g % 96] + in[g % 7 * 3];
}

//: kernel batch_norm
//: local 128
//: global 8*64*49
//: buffer x 25088
//: at run=1
//: at run=2
kernel void batch_norm(global float *x, global const float *mean, global const float *scale)
{
    const int plane = 49;
    int g = get_global_id(0), c = g / plane % 64;

    x[g] = (x[g] - mean[c]) * scale[c];
}

//: kernel im2col
//: local 64
//: global 4*28*28
//: buffer in 8192
//: at run=1
//: at run=2
kernel void im2col(global float *out, global const float *in)
{
    int g = get_global_id(0), x = g % 28, y = g / 28 % 28, c = g / 784;

    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            out[((c * 3 + j) * 3 + i) * 784 + y * 28 + x] = in[(c * 30 + y + j) * 30 + x + i];
}

//: kernel pool
//: local 256
//: global 64*16*16
//: at run=1
//: at run=2
kernel void pool(global float *out, global const float *in)
{
    uint g = get_global_id(0), x = g & 15, y = g >> 4 & 15, c = g >> 8;
    global const float *from = in + c * 1024 + y * 64 + x * 2;

    out[g] = fmax(fmax(from[0], from[1]), fmax(from[32], from[33]));
}

//: kernel shuffle
//: local 256
//: global 32*1024
//: at run=1
//: at run=2
kernel void shuffle(global float *out, global const float *in)
{
    int g = get_global_id(0), p = g % 256, c = g / 256 % 32, n = g / 8192;

    out[g] = in[n * 8192 + (c % 4 * 8 + c / 4) * 256 + p];
}

//: kernel permute
//: local 256
//: global 2*16*32*32
//: at run=1
//: at run=2
kernel void permute(global float *out, global const float *in)
{
    int g = get_global_id(0), c = g % 16, x = g / 16 % 32, y = g / (16 * 32) % 32,
        n = g / (16 * 32 * 32);

    out[g] = in[((n * 16 + c) * 32 + y) * 32 + x];
}

//: kernel butterfly
//: local 128
//: global 32*1024
//: at run=1
//: at run=2
kernel void butterfly(global float *out, global const float *in)
{
    int g = get_global_id(0), k = g & 63, j = (g - k) * 2 + k;

    out[j] = in[j] + in[j + 64];
    out[j + 64] = in[j] - in[j + 64];
}

//: kernel bitonic
//: local 256
//: global 64*1024
//: buffer data 131072
//: at run=1
//: at run=2
kernel void bitonic(global float *data)
{
    uint g = get_global_id(0), low = g & 31, left = g / 32 * 64 + low;
    float a = data[left], b = data[left + 32];

    data[left] = fmin(a, b);
    data[left + 32] = fmax(a, b);
}

//: kernel planes
//: local 16,16
//: global 64,512
//: at run=1
//: at run=2
kernel void planes(global float *out, global const float *in)
{
    int x = get_global_id(0), y = get_global_id(1), r = y % 64, n = y / 64;

    out[y * 64 + x] = in[(n % 4 * 64 + r) * 64 + (x / 4 * 4 + 3 - x % 4)];
}

//: kernel tile_rows
//: local 64
//: global 64*300
//: at run=1
//: at run=2
kernel void tile_rows(global float *out, global const float *in)
{
    local float tile[640];
    int g = get_global_id(0), l = get_local_id(0);

    tile[l / 8 * 9 + l % 8] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[l % 8 * 9 + l / 8];
}
