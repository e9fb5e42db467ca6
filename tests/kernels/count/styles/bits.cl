/* bits.cl - hashes, checksums, random numbers and codes: integers and their bits */

//: kernel crc32_bitwise
//: local 32
//: global 32*ceil(blocks/32)
//: at blocks=20 size=5
//: at blocks=32 size=8
kernel void crc32_bitwise(global const uchar *data, global uint *crc, int blocks, int size)
{
    int b = get_global_id(0);
    uint c = 0xffffffffu;

    if (b >= blocks)
        return;
    for (int i = 0; i < size; i++) {
        c ^= data[b * size + i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (0xedb88320u & -(c & 1));
    }
    crc[b] = ~c;
}

//: kernel crc32_table
//: local 64
//: global 64*g
//: at g=1 size=5
//: at g=2 size=9
//: buffer table 256
kernel void crc32_table(global const uchar *data, constant uint *table, global uint *crc,
                        int size)
{
    int b = get_global_id(0);
    uint c = ~0u;

    for (global const uchar *p = data + b * size, *end = p + size; p < end; p++)
        c = table[(c ^ *p) & 255] ^ c >> 8;
    crc[b] = ~c;
}

//: kernel fnv_words
//: local 64
//: global 64*g
//: at g=1 words=4
//: at g=2 words=7
//: assume words >= 1
kernel void fnv_words(global const ulong *data, global ulong *hash, uint words)
{
    uint i = get_global_id(0);
    ulong h = 14695981039346656037UL;

    for (uint w = 0; w != words; ++w) {
        h ^= data[w * get_global_size(0) + i];
        h *= 1099511628211UL;
    }
    hash[i] = h;
}

//: kernel md_rounds
//: local 64
//: global 64*g
//: at g=1
//: at g=2
#define STEP(f, a, b, c, d, x, s) a = rotate(a + f(b, c, d) + x, (uint)s) + b
#define F(x, y, z) ((x & y) | (~x & z))
#define G(x, y, z) (x ^ y ^ z)
kernel void md_rounds(global const uint4 *in, global uint4 *out)
{
    int i = get_global_id(0);
    uint4 block = in[i];
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;

    STEP(F, a, b, c, d, block.x, 7);
    STEP(F, d, a, b, c, block.y, 12);
    STEP(G, c, d, a, b, block.z, 17);
    STEP(G, b, c, d, a, block.w, 22);
    out[i] = (uint4)(a, b, c, d);
}

//: kernel count_bits
//: local 64
//: global 64*g
//: at g=1
//: at g=3
kernel void count_bits(global const ulong *words, global int *total)
{
    local int sum;

    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, (int)popcount(words[get_global_id(0)]));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(total, sum);
}

//: kernel substitute_bytes
//: local 32
//: global 32*g
//: at g=1
//: at g=2
//: buffer box 256
kernel void substitute_bytes(global uchar *state, constant uchar *box, global const uchar *key)
{
    int base = get_global_id(0) * 16;
    uchar s[16];

    for (int i = 0; i < 16; i++)
        s[i] = box[state[base + i]];
    for (int r = 1; r < 4; r++)
        for (int turn = 0; turn < r; turn++) {
            uchar first = s[r];
            for (int c = 0; c < 3; c++)
                s[r + 4 * c] = s[r + 4 * (c + 1)];
            s[r + 12] = first;
        }
    for (int i = 0; i < 16; i++)
        state[base + i] = s[i] ^ key[i];
}

//: kernel base64
//: local 64
//: global 64*ceil(n/64)
//: at n=20
//: at n=64
//: buffer letters 64
kernel void base64(global const uchar *in, global uchar *out, constant uchar *letters, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        uint v = (uint)in[3 * i] << 16 | (uint)in[3 * i + 1] << 8 | in[3 * i + 2];
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = letters[v >> (18 - 6 * k) & 63];
    }
}

//: kernel morton_order
//: local 8,8
//: global 8*gx,8*gy
//: at gx=1 gy=1
//: at gx=2 gy=2
//: buffer out 64*gx*gy
kernel void morton_order(global const float *in, global float *out)
{
    uint x = get_global_id(0), y = get_global_id(1), z = 0;

    for (int b = 0; b < 8; b++)
        z |= (x >> b & 1) << 2 * b | (y >> b & 1) << (2 * b + 1);
    out[z] = in[y * get_global_size(0) + x];
}

//: kernel pack_bits
//: local 64
//: global 64*ceil(words/64)
//: at words=10
//: at words=64
kernel void pack_bits(global const uchar *flags, global uint *packed, int words)
{
    int w = get_global_id(0);
    uint bits = 0;

    if (w >= words)
        return;
    for (uint b = 0; b < 32; b++)
        bits |= (uint)(flags[32 * w + b] != 0) << b;
    packed[w] = bits;
}

//: kernel seed_hash
//: local 64
//: global 64*g
//: at g=1
//: at g=3
kernel void seed_hash(global ulong *out)
{
    ulong h = 14695981039346656037UL;

    for (int i = 0; i < 8; i++) {
        h ^= (ulong)i;
        h *= 1099511628211UL;
    }
    out[get_global_id(0)] = h;
}

//: kernel long_generator
//: local 32
//: global 32*g
//: at g=1 n=5
//: at g=2 n=8
kernel void long_generator(global ulong *out, int n)
{
    ulong s = get_global_id(0);

    for (int k = 0; k < 3; k++)
        s = s * 6364136223846793005UL + 1442695040888963407UL;
    for (int k = 0; k < n; k++)
        s = s * s * s * s + 1;
    out[get_global_id(0)] = s;
}

//: kernel least_of_all
//: local 32
//: global 32*g
//: at g=1 n=5
//: at g=2 n=33
kernel void least_of_all(global long *a, int n)
{
    long most = LONG_MIN;

    for (int i = 0; i < n; i++)
        most = max(most, a[i]);
    a[get_global_id(0)] = most;
}

//: kernel filter_by_flags
//: local 16,4
//: global 16*ceil(w/16),4*h
//: at w=40 h=3 flags=21
//: at w=17 h=2 flags=74
//: at w=16 h=2 flags=0
kernel void filter_by_flags(global float *a, int w, int flags)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w)
        return;
    if (flags & 0x40)
        a[y * w + x] *= 0.5f;
    if ((flags & 0x14) == 0x14)
        a[y * w + x] += 1.0f;
    else if (flags & 2)
        a[y * w + x] = -1.0f;
}

//: kernel partners
//: local 32
//: global 32*g
//: at g=1 n=20
//: at g=3 n=81
//: buffer a 32*g+32
kernel void partners(global float *a, global float *b, int n)
{
    int i = get_global_id(0), other = i ^ 5;

    if (other < n && (i & 6) != 2)
        b[i] = a[other] + a[i | 9];
}

//: kernel bayer_phase
//: local 8,8
//: global 8*g,8*h
//: at g=1 h=2 w=12 filters=9
//: at g=2 h=1 w=9 filters=9
//: noted 'filters', which is not a number
//: advice assume filters = 9
kernel void bayer_phase(global float *a, int w, int filters)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && ((y & filters) & 1) == 1)
        a[y * w + x] += 0.25f;
}

//: kernel power_of_two_only
//: local 32
//: global 32*g
//: at g=1 n=64
//: at g=2 n=64
//: marked add, global store, global store bytes
kernel void power_of_two_only(global float *a, int n)
{
    int i = get_global_id(0);

    if (!(i & (n - 1)))
        a[i] = i + 1.0f;
}
