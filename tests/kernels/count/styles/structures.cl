/* Bodies, particles, complex numbers and grids as structures and vectors. */
typedef struct { float x, y, z, m; } body;
typedef struct { int lo, hi; } range;
//: kernel bodies
//: local 16
//: global 16*g
//: at n=16 g=1
//: at n=32 g=2
kernel void bodies(global const body *b, global float *out, int n)
{
    int i = get_global_id(0);
    float ax = 0.0f;

    for (int j = 0; j < n; j++) {
        float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        float r = dx * dx + dy * dy + dz * dz + 0.01f;

        ax += b[j].m * dx * rsqrt(r);
    }
    out[i] = ax;
}
//: kernel split_range
//: local 8
//: global 8*g
//: at n=40 g=2
//: at n=24 g=3
range own_range(int item, int per) { range r; r.lo = item * per; r.hi = r.lo + per; return r; }
kernel void split_range(global const float *a, global float *out, int n)
{
    range r = own_range(get_global_id(0), n);
    float s = 0.0f;

    for (; r.lo < r.hi; r.lo++)
        s += a[r.lo];
    out[get_global_id(0)] = s;
}
//: kernel fixed_queue
//: local 8
//: global 8*g
//: at n=8 g=1
//: at n=16 g=2
struct queue { int items[4]; int head, size; };
kernel void fixed_queue(global const float *a, global float *out, int n)
{
    struct queue q;
    int i = get_global_id(0);
    float s = 0.0f;

    q.head = 0;
    q.size = 4;
    for (int k = 0; k < 4; k++)
        q.items[k] = i + k * n;
    while (q.size > 0) {
        s += a[q.items[q.head]];
        q.head++;
        q.size--;
    }
    out[i] = s;
}
//: kernel complex_powers
//: local 16
//: global 16*g
//: at n=3 g=2
//: at n=5 g=1
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
kernel void complex_powers(global const float2 *a, global float2 *out, int n)
{
    int i = get_global_id(0);
    float2 z = a[i], p = (float2)(1.0f, 0.0f);

    for (int k = 0; k < n; k++)
        p = times(p, z);
    out[i] = p;
}
//: kernel grid_cells
//: local 4,4,2
//: global 4*gx,4*gy,2
//: at nx=8 ny=4 nz=2 gx=2 gy=1
//: at nx=7 ny=6 nz=2 gx=2 gy=2
typedef struct { int3 p; int n; } cell;
int cell_index(cell c, int nx, int ny) { return (c.p.z * ny + c.p.y) * nx + c.p.x; }
kernel void grid_cells(global const float *a, global float *out, int nx, int ny, int nz)
{
    cell c;

    c.p = (int3)(get_global_id(0), get_global_id(1), get_global_id(2));
    c.n = 0;
    if (c.p.x >= nx || c.p.y >= ny || c.p.z >= nz)
        return;
    float s = 0.0f;
    if (c.p.x > 0) { cell l = c; l.p.x--; s += a[cell_index(l, nx, ny)]; }
    if (c.p.x + 1 < nx) { cell r = c; r.p.x += 1; s += a[cell_index(r, nx, ny)]; }
    out[cell_index(c, nx, ny)] = s;
}
//: kernel neighbours
//: local 8,4
//: global 8*gx,4*gy
//: at nx=16 ny=8 gx=2 gy=2
//: at nx=11 ny=6 gx=2 gy=2
//: seen memcpy p0 p2 = 0 : initialisers are copied
kernel void neighbours(global const float *a, global float *out, int nx, int ny)
{
    int2 c = (int2)(get_global_id(0), get_global_id(1));
    int2 offsets[4] = { (int2)(1, 0), (int2)(-1, 0), (int2)(0, 1), (int2)(0, -1) };
    float s = 0.0f;

    if (c.x >= nx || c.y >= ny)
        return;
    for (int k = 0; k < 4; k++) {
        int2 q = c + offsets[k];

        if (q.x >= 0 && q.x < nx && q.y >= 0 && q.y < ny)
            s += a[q.y * nx + q.x];
    }
    out[c.y * nx + c.x] = s;
}
//: kernel lattice_streams
//: local 8,4
//: global 8*gx,4*gy
//: at gx=2 gy=2
//: at gx=1 gy=3
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: buffer f 9*(8*gx+2)*(4*gy+2)
kernel void lattice_streams(global const float *f, global float *out)
{
    const int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }, ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
    const int2 p = (int2)(get_global_id(0) + 1, get_global_id(1) + 1);
    const int w = get_global_size(0) + 2, h = get_global_size(1) + 2;
    float rho = 0.0f;

    for (int i = 0; i < 9; i++)
        rho += f[(i * h + p.y - ey[i]) * w + p.x - ex[i]];
    out[(p.y - 1) * (w - 2) + p.x - 1] = rho;
}
//: kernel quad_loads
//: local 16
//: global 16*g
//: at g=2 n=3
//: at g=1 n=5
kernel void quad_loads(global const float *a, global float *out, int n)
{
    int4 i = (int4)(0, 1, 2, 3) + (int4)(get_global_id(0) * 4);
    float s = 0.0f;

    for (int k = 0; k < n; k++) {
        s += a[i.x] + a[i.y] + a[i.z] + a[i.w];
        i += (int)(4 * get_global_size(0));
    }
    out[get_global_id(0)] = s;
}
//: kernel dims_struct
//: local 4,8
//: global 4*gx,8*gy
//: at rows=16 cols=8 gx=2 gy=2
//: at rows=11 cols=6 gx=2 gy=2
struct dims { int rows, cols; };
struct matrix { global float *data; struct dims d; };
float element(struct matrix m, int i, int j) { return m.data[i * m.d.cols + j]; }
kernel void dims_struct(global float *a, global float *out, int rows, int cols)
{
    struct matrix m = { a, { rows, cols } }, t;
    int i = get_global_id(1), j = get_global_id(0);

    t.data = out;
    t.d.rows = m.d.cols;
    t.d.cols = m.d.rows;
    if (i < m.d.rows && j < m.d.cols)
        t.data[j * t.d.cols + i] = element(m, i, j);
}
//: kernel window
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: buffer a n
//: local 16
//: global 16*g
//: at n=40 g=3
//: at n=32 g=2
struct window { int2 bounds; int step; };
kernel void window(global const float *a, global float *out, int n)
{
    int i = get_global_id(0);
    struct window w = { .step = 2 };
    float s = 0.0f;

    w.bounds.x = i < 4 ? 0 : i - 4;
    w.bounds.y = min(i + 4, n - 1);
    for (int k = w.bounds.x; k <= w.bounds.y; k += w.step)
        s += a[k];
    if (i < n)
        out[i] = s;
}
//: kernel ring
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: local 16
//: global 16*g
//: at n=6 g=2
//: at n=9 g=1
kernel void ring(global const float *a, global float *out, int n)
{
    float window[3] = { 0.0f, 0.0f, 0.0f };
    int slot[3] = { 0, 1, 2 }, i = get_global_id(0);
    float s = 0.0f;

    for (int k = 0; k < n; k++) {
        window[slot[0]] = a[k * get_global_size(0) + i];
        s += window[slot[1]] * window[slot[2]];
    }
    out[i] = s;
}
//: kernel tri_indices
//: local 8
//: global 8*g
//: at n=8 g=1
//: at n=16 g=2
//: buffer corners 3*8*g
//: buffer v n
kernel void tri_indices(global const int *corners, global const float *v, global float *out, int n)
{
    int i = get_global_id(0);
    int3 c = vload3(i, corners);

    out[i] = v[c.x] + v[c.y] + v[c.z];
}
//: kernel counters
//: local 8
//: global 8*g
//: at n=9 g=2
//: at n=4 g=1
union number { uint u; float f; };
kernel void counters(global float *a, int n)
{
    union number v;
    uint4 c = (uint4)(0u);
    int i = get_global_id(0);

    v.f = a[i];
    v.u &= 0x7fffffffu;
    do {
        c.s0 += 1;
        c.s1 = c.s0 * 2;
        c.hi = c.lo;
        a[i + c.s3 * get_global_size(0)] = v.f;
    } while (c.x < n);
}
//: kernel boxes_moved
//: no-lanes a structure is copied by one access there
//: local 32
//: global 32*g
//: at g=1 n=20
//: at g=2 n=40
//: assume n >= 1
//: buffer order 64
//: buffer from 1280
//: buffer to 1280
//: seen memcpy p1 p1 = 0 : structures are copied member by member
//: seen memcpy p1 p0 = 0 : structures are copied member by member
//: seen memcpy p0 p1 = 0 : structures are copied member by member
//: seen global load = seen+8*n : structures are copied member by member
//: seen global load bytes = seen+64*n : structures are copied member by member
//: seen global store = seen+8*n : structures are copied member by member
//: seen global store bytes = seen+64*n : structures are copied member by member
typedef struct {
    union {
        float4 low;
        float low_part[4];
        int low_bits[4];
    };
    struct {
        int first, count;
    };
    union {
        float2 high;
        int high_bits[2];
    };
} box_t;

kernel void boxes_moved(global const box_t *from, global const int *order, global box_t *to,
                        int n)
{
    int i = get_global_id(0);
    box_t b;

    if (i >= n)
        return;
    to[i] = from[order[i]];
    b = from[i];
    b.high.y = b.low.x + b.low_part[1];
    to[i + n] = b;
}

//: kernel parts_without_names
//: local 32
//: global 32*g
//: at g=1 n=3 m=5
//: at g=2 n=6 m=2
//: assume n >= 1 and m >= 1
kernel void parts_without_names(global float *out, int n, int m)
{
    struct {
        struct {
            int first, second;
        };
        struct {
            int third;
            struct {
                int fourth;
            };
        };
    } s;
    float sum = 0.0f;

    s.first = n;
    s.second = m;
    s.third = n + m;
    s.fourth = 2 * m;
    for (int i = 0; i < s.first; i++)
        sum += 1.5f;
    for (int i = 0; i < s.second; i++)
        sum *= 1.5f;
    for (int i = 0; i < s.third; i++)
        sum /= 1.5f;
    for (int i = s.third; i < s.third + s.fourth; i++)
        out[i] = sum;
}
