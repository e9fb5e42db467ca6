/* sampled.cl - places that counts in closed form know nothing of, counted at sizes by running some
 * work-groups; the format is that of styles/README.md
 */

/* Floats made of ids, and converted back, in two dimensions with ragged tails. */
//: kernel resize
//: local 16,16
//: global 16*ceil(wide/16),16*ceil(high/16)
//: at-sizes
//: at wide=304 high=203 from_w=151 from_h=102
//: at wide=1104 high=37 from_w=1400 from_h=50
//: buffer in from_w*from_h
//: buffer out wide*high
kernel void resize(global const float *in, global float *out, int wide, int high,
                   int from_w, int from_h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= wide || y >= high)
        return;
    float fx = (x + 0.5f) * ((float)from_w / wide) - 0.5f;
    float fy = (y + 0.5f) * ((float)from_h / high) - 0.5f;
    int x0 = max((int)floor(fx), 0), y0 = max((int)floor(fy), 0);
    int x1 = min(x0 + 1, from_w - 1), y1 = min(y0 + 1, from_h - 1);

    out[y * wide + x] = in[y0 * from_w + x0] + in[y1 * from_w + x1];
}

//: kernel hashed
//: local 128
//: global 128*ceil(n/128)
//: at-sizes
//: at n=40000 mask=1023
//: at n=50001 mask=65535
//: buffer in mask+1
//: buffer out n
kernel void hashed(global const float *in, global float *out, int n, uint mask)
{
    uint i = get_global_id(0), h = i * 2654435761u;

    h ^= h >> 15;
    if (i < n)
        out[i] = in[h & mask] + in[(h * 0x9e3779b1u >> 7) & mask];
}

//: kernel product
//: local 64
//: global 64*ceil(n/64)
//: at-sizes
//: at n=9000 most=4096
//: at n=20001 most=300000
//: buffer in most
//: buffer out n
kernel void product(global const float *in, global float *out, int n, int most)
{
    uint i = get_global_id(0), k = get_local_id(0) * get_group_id(0);

    if (i < n)
        out[i] = in[i * (k + 1u) % most] + in[k * 8 % most];
}

/* A partner, by bits that are known at run time alone. */
//: kernel partner
//: local 256
//: global n
//: at-sizes
//: at n=65536 mask=5
//: at n=65536 mask=4097
//: buffer a n
//: buffer b n
kernel void partner(global const float *a, global float *b, int n, int mask)
{
    int i = get_global_id(0), k = i ^ mask;

    if (k < n)
        b[k] = a[i] - a[k];
}

//: kernel reversed
//: local 256
//: global n
//: at-sizes
//: at n=65536 bits=16
//: at n=262144 bits=18
//: buffer a 2*n
//: buffer b 2*n
kernel void reversed(global const float2 *a, global float2 *b, int n, int bits)
{
    uint i = get_global_id(0), r = 0;

    for (int k = 0; k < bits; k++)
        r |= (i >> k & 1) << (bits - 1 - k);
    b[r] = a[i];
}

/* A table of local memory, which is filled in order and read at random. */
//: kernel table
//: local 256
//: global 256*ceil(n/256)
//: at-sizes
//: at n=20000 rounds=3
//: at n=70001 rounds=1
//: buffer a n+256
//: buffer b n+256
kernel void table(global const float *a, global float *b, int n, int rounds)
{
    local float t[512];
    int l = get_local_id(0), i = get_global_id(0);
    uint h = i * 747796405u + 2891336453u;
    float sum = 0;

    t[l] = a[i];
    t[l + 256] = a[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < rounds; k++) {
        h = (h ^ h >> 11) * 277803737u;
        sum += t[h >> 23];
    }
    if (i < n)
        b[i] = sum;
}

/* Known places in a loop beside one that is not. */
//: kernel mixture
//: local 32,4
//: global 32*ceil(w/32),4*ceil(h/4)
//: at-sizes
//: at w=200 h=90 m=7
//: at w=1001 h=33 m=3
//: buffer a (w+m)*h
//: buffer lut 4096
//: buffer b w*h
kernel void mixture(global const float *a, constant float *lut, global float *b, int w,
                    int h, int m)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;

    if (x >= w || y >= h)
        return;
    for (int k = 0; k < m; k++)
        sum += a[y * (w + m) + x + k] * lut[(x * 1103515245u + k * 12345u + y * 7919u) >> 20];
    b[y * w + x] = sum;
}

/* Neighbours in rows that share sectors. */
//: kernel five
//: local 32,4
//: global 32*ceil(nx/32),4*ceil(ny/4)
//: at-sizes
//: at nx=201 ny=118
//: at nx=509 ny=70
//: buffer old nx*ny
//: buffer new nx*ny
kernel void five(global const float *old, global float *new, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * nx + x;

    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        new[at] = old[at] + old[at - 1] + old[at + 1] + old[at - nx] + old[at + nx];
}
