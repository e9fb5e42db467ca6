/* Integer vectors, structures and small arrays as coordinates, counters and tables: all
 * their forms.
 */
//: kernel coords
//: local 8,4
//: global 8*gx,4*gy
//: at w=20 h=9 gx=3 gy=3
//: at w=16 h=8 gx=2 gy=2
#define AT(p) ((p).y * w + (p).x)
kernel void coords(global float *a, global float *o, int w, int h)
{
    int2 c = (int2)(get_global_id(0), get_global_id(1));
    int2 d;
    float s = 0.0f;

    if (c.x >= w || c.y >= h) return;
    for (d.y = -1; d.y <= 1; d.y++)
        for (d.x = -1; d.x <= 1; d.x++) {
            int2 q = c + d;
            if (all(q >= 0) && all(q < (int2)(w, h))) s += a[AT(q)];
        }
    o[AT(c)] = s;
}
//: kernel swiz
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: local 8,4
//: global 8*gx,4*gy
//: at w=40 gx=3 gy=3
//: at w=16 gx=2 gy=2
int row(int2 p, int w) { return p.y * w; }
int2 flip(int2 p) { return p.yx; }
struct box { int2 lo, hi; int n; };
int area(struct box b) { return (b.hi.x - b.lo.x) * (b.hi.y - b.lo.y); }
kernel void swiz(global float *a, global float *o, int w)
{
    int4 p;
    p.xy = (int2)(get_global_id(0), get_global_id(1));
    p.zw = p.yx;
    p.hi += (int2)(1, 2);
    p.s0 *= 2;
    struct box b = { (int2)(0), (int2)(3, 4), 2 };
    b.n += 3;
    float s = 0;
    for (int k = 0; k < area(b); k++) s += a[row(p.lo, w) + p.x + k];
    for (int k = 0; k < b.n; k++) s += a[flip(p.xy).x + k];
    for (int k = 0; k < p.z; k++) s += a[k];
    for (int k = 0; k < p.w; k++) s *= 2.0f;
    o[p.y * w + p.x] = s;
}
//: kernel tables
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: local 16
//: global 16*g
//: at n=40 g=3
//: at n=64 g=4
kernel void tables(global float *a, global float *o, int n)
{
    int i = get_global_id(0), idx[4], len[3] = { 1, 2 };
    float s = 0;
    for (int k = 0; k < 4; k++) idx[k] = i + k * n;
    len[2] = len[1] + 3;
    for (int k = 0; k < 4; k++) s += a[idx[k]];
    for (int t = 0; t < 3; t++) for (int k = 0; k < len[t]; k++) s *= 1.5f;
    if (idx[1] < 2 * n) s += 1.0f;
    o[i] = s;
}
//: kernel walkers
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: local 16
//: global 16*g
//: at n=40 g=3
//: at n=64 g=4
struct cursor { int pos, step; };
struct view { global float *p; int n; };
kernel void walkers(global float *a, global float *o, int n)
{
    struct cursor c = { .step = 2, .pos = 1 }, d;
    struct view v = { a + get_global_id(0), n };
    float s = 0;
    while (c.pos < n) { s += a[c.pos]; c.pos += c.step; }
    d = c;
    d.pos = 0;
    for (; d.pos < v.n; d.pos++) { s += *v.p; v.p += d.step; if (d.pos % 2) continue; s *= 3.0f; }
    int2 e = (int2)(0, 5);
    for (int k = 0; k < n; k++) { e += (int2)(1, 2); if (e.y < n) s += 1.0f; }
    for (int k = 0; k < n; k++) { e = e + 1; if (e.x < n + 5) s *= 2.0f; }
    o[get_global_id(0)] = s;
}
//: kernel literals
//: assume n >= 8
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: local 16
//: global 16*g
//: at n=40 g=3
//: at n=64 g=4
#define IDX(v) (v.y * n + v.x)
typedef struct { int2 at; int w; } spot;
typedef struct { spot s[2]; int n; } pair;
spot move(spot s, int2 by) { s.at += by; return s; }
int weight(const spot s) { return s.w; }
kernel void literals(global float *a, global float *o, int n)
{
    int i = get_global_id(0);
    int4 v = (int4)((int2)(i, 1), 2, 3);
    int8 e = (int8)(v, v.wzyx);
    spot s = { { i, 2 }, 7 }, q = { .w = 3, .at = (int2)(i, 0) };
    pair p = { { { (int2)(1, 2), 3 }, { (int2)(4, 5), 6 } }, 2 };
    float f = 0;
    f += a[IDX(v.xy)];
    f += a[e.odd.x + e.s7 - i];
    f += a[IDX(s.at)] + a[IDX(move(q, (int2)(0, 1)).at)];
    for (int k = 0; k < weight(s) + q.w; k++) f *= 1.1f;
    for (int k = 0; k < p.s[1].at.y + p.n; k++) f += a[k];
    int2 t = i < n / 2 ? (int2)(1, 2) : (int2)(3, 2);
    for (int k = 0; k < t.x * t.y; k++) f += 2.0f;
    int2 m = min(max(v.xy, (int2)(3)), (int2)(n - 1)), u = clamp(v.zw, (int2)(0), (int2)(2)), z = select(m, u, u > 1);
    f += a[m.x] + a[u.y] + a[z.y] + a[abs(-2)];
    uint2 uu = convert_uint2(m); long2 ll = convert_long2(v.xy);
    f += a[uu.x] + a[ll.x + ll.y];
    if (any(v.xy > (int2)(n - 3, 5))) f += 3.0f;
    if ((v.x < n) & (v.y < 2)) f += 5.0f;
    o[i] = f;
}
//: kernel copies
//: seen memcpy p0 p2 = 0 : initialisers are copied
//: assume n >= 8
//: local 8
//: global 8*g
//: at n=24 g=3
//: at n=16 g=2
struct s { int a, b; int2 v; };
struct s twice(struct s x) { x.a *= 2; x.v = x.v.yx; return x; }
union u { int i; float f; };
kernel void copies(global float *a, int n)
{
    int i = get_global_id(0);
    struct s p, q, r;
    p.a = 1; p.b = 2; p.v = (int2)(3, 4);
    q = p;
    p.a = 7;
    r = twice(q);
    q.v.yx = q.v;
    float f = 0;
    for (int k = 0; k < q.a; k++) f += 1.0f;
    for (int k = 0; k < p.a; k++) f *= 1.0f;
    for (int k = 0; k < r.a * r.v.x; k++) f /= 1.5f;
    for (int k = 0; k < q.v.x; k++) f += 2.0f;
    int4 w = (int4)(1, 2, 3, 4);
    w.xy = w.yx;
    w.zw = w.xw;
    w.even = w.odd;
    for (int k = 0; k < w.x * 100 + w.y * 50 + w.z * 25 + w.w; k++) f -= 2.0f;
    w++;
    --w.x;
    for (int k = 0; k < w.x + w.y; k++) f = f * f;
    int j;
    for (int k = 0; k < 4; k++) { j = 2 * k; f += a[j]; }
    for (int k = 0; k < j; k++) f = f / 3.0f;
    if (i < n / 2) { w.x = 5; p.a = 1; } else w.x = 6;
    for (int k = 0; k < w.x + p.a; k++) f = f + a[k];
    switch (w.y) { case 1: f = f * 2.0f; break; case 2: f += a[1]; break; default: f -= 1.0f; }
    int2 c = 0, d = (int2)(-1);
    while (c.x < n) { c += 2; d = c; }
    for (int k = 0; k < c.y; k++) f *= 9.0f;
    int m[2][3];
    for (int x = 0; x < 2; x++) for (int y = 0; y < 3; y++) m[x][y] = x + y;
    for (int k = 0; k < m[1][2]; k++) f *= 3.0f;
    for (int x = 0; x < 2; x++) for (int k = 0; k < m[x][1]; k++) f += 5.0f;
    int2 o[4] = { (int2)(1, 0), (int2)(-1, 0), (int2)(0, 1), (int2)(0, -1) };
    int2 at = (int2)(i, 1);
    for (int k = 0; k < 4; k++) { int2 b = at + o[k]; if (b.x >= 0 && b.x < n) f += a[b.y * n + b.x]; }
    a[i] = f;
}
