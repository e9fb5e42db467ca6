/* Filters of pictures whose coordinates are int2, in the styles of samples and libraries. */
#define PIXEL(p) ((p).y * width + (p).x)
//: kernel box_blur
//: local 16,4
//: global 16*gx,4*gy
//: at width=40 height=10 gx=3 gy=3
//: at width=32 height=8 gx=2 gy=2
kernel void box_blur(global const float *in, global float *out, const int width, const int height)
{
    const int2 pos = (int2)(get_global_id(0), get_global_id(1));
    int2 d;
    float sum = 0.0f;
    int n = 0;

    if (pos.x >= width || pos.y >= height)
        return;
    for (d.y = -1; d.y <= 1; d.y++) {
        for (d.x = -1; d.x <= 1; d.x++) {
            int2 q = clamp(pos + d, (int2)(0, 0), (int2)(width - 1, height - 1));

            sum += in[PIXEL(q)];
            n++;
        }
    }
    out[PIXEL(pos)] = sum / (float)n;
}
//: kernel blur_interior
//: local 8,8
//: global 8*gx,8*gy
//: at width=24 height=16 gx=3 gy=2
//: at width=20 height=11 gx=3 gy=2
kernel void blur_interior(global const float *in, global float *out, int width, int height)
{
    int2 c = (int2)(get_global_id(0), get_global_id(1));

    if (c.x < 2 || c.y < 2 || c.x >= width - 2 || c.y >= height - 2)
        return;
    float s = 0.0f;
    for (int2 o = (int2)(-2, -2); o.y <= 2; o.y++)
        for (o.x = -2; o.x <= 2; o.x++)
            s += in[PIXEL(c + o)];
    out[PIXEL(c)] = s * (1.0f / 25.0f);
}
//: kernel gaussian_rows
//: local 32,1
//: global 32*ceil(width/32),height
//: at width=40 height=5
//: at width=64 height=3
constant float weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void gaussian_rows(global const float *in, global float *out, int width, int height)
{
    int2 p = { get_global_id(0), get_global_id(1) };
    float acc = 0;

    if (p.s0 >= width)
        return;
    for (int k = -2; k <= 2; ++k) {
        int2 q = p + (int2)(k, 0);

        if (q.s0 >= 0 && q.s0 < width)
            acc += weights[k + 2] * in[q.s1 * width + q.s0];
    }
    out[p.s1 * width + p.s0] = acc;
}
//: kernel gaussian_radius
//: no-lanes the divergence of a guard by a symbolic radius is not counted
//: local 8,4
//: global 8*gx,4*gy
//: at width=24 height=8 gx=3 gy=2 radius=2
//: at width=16 height=12 gx=2 gy=3 radius=1
//: assume radius >= 0
//: buffer mask (2*radius+1)*(2*radius+1)
kernel void gaussian_radius(global const float *in, constant float *mask, global float *out,
                            int width, int height, int radius)
{
    int2 pos = (int2)(get_global_id(0), get_global_id(1)), d;
    float sum = 0.0f;

    for (d.x = -radius; d.x < radius + 1; d.x++)
        for (d.y = -radius; d.y < radius + 1; d.y++) {
            int2 at = pos + d;

            if (at.x >= 0 && at.x < width && at.y >= 0 && at.y < height)
                sum += mask[d.x + radius + (d.y + radius) * (2 * radius + 1)] * in[PIXEL(at)];
        }
    out[PIXEL(pos)] = sum;
}
//: kernel sobel
//: local 8,8
//: global 8*gx,8*gy
//: at width=24 height=16 gx=3 gy=2
//: at width=13 height=9 gx=2 gy=2
float at(global const float *in, int2 p, int width) { return in[PIXEL(p)]; }
kernel void sobel(global const float *in, global float *out, int width, int height)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    const int2 dx = (int2)(1, 0), dy = (int2)(0, 1);

    if (p.x > 0 && p.y > 0 && p.x < width - 1 && p.y < height - 1) {
        float gx = at(in, p + dx - dy, width) + 2.0f * at(in, p + dx, width) +
                   at(in, p + dx + dy, width) - at(in, p - dx - dy, width) -
                   2.0f * at(in, p - dx, width) - at(in, p - dx + dy, width);
        float gy = at(in, p + dy - dx, width) - at(in, p - dy + dx, width);

        out[PIXEL(p)] = sqrt(gx * gx + gy * gy);
    } else if (p.x < width && p.y < height) {
        out[PIXEL(p)] = 0.0f;
    }
}
//: kernel tiled_filter
//: local 8,8
//: global 8*gx,8*gy
//: at gx=3 gy=2
//: at gx=2 gy=1
//: buffer in (8*gx+2)*(8*gy+2)
kernel void tiled_filter(global const float *in, global float *out)
{
    local float tile[10 * 10];
    const int2 l = (int2)(get_local_id(0), get_local_id(1));
    const int2 size = (int2)(get_global_size(0), get_global_size(1));
    const int2 corner = (int2)(get_group_id(0), get_group_id(1)) * 8;
    int2 t;

    for (t.y = l.y; t.y < 10; t.y += 8)
        for (t.x = l.x; t.x < 10; t.x += 8)
            tile[t.y * 10 + t.x] = in[(corner.y + t.y) * (size.x + 2) + corner.x + t.x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (t.y = 0; t.y < 3; t.y++)
        for (t.x = 0; t.x < 3; t.x++)
            s += tile[(l.y + t.y) * 10 + l.x + t.x];
    out[(corner.y + l.y) * size.x + corner.x + l.x] = s;
}
//: kernel mirror_border
//: lanes-marked divergent branch
//: buffer in n
//: local 16
//: global 16*g
//: at n=40 g=3
//: at n=32 g=2
//: assume n >= 4
int2 mirror(int2 p, int n) { p.x = p.x < 0 ? -p.x : p.x; p.x = p.x >= n ? 2 * n - 2 - p.x : p.x; return p; }
kernel void mirror_border(global const float *in, global float *out, int n)
{
    int2 p = (int2)(get_global_id(0), 0);

    if (p.x >= n)
        return;
    float s = 0.0f;
    for (int k = -2; k <= 2; k++)
        s += in[mirror(p + (int2)(k, 0), n).x];
    out[p.x] = s;
}
//: kernel downsample
//: seen add = 4*seen : an fadd is of four lanes
//: seen mul = 4*seen : an fmul is of four lanes
//: local 8,4
//: global 8*gx,4*gy
//: at gx=2 gy=2
//: at gx=3 gy=1
kernel void downsample(global const float4 *in, global float4 *out)
{
    int2 size = (int2)(get_global_size(0), get_global_size(1));
    int2 p = (int2)(get_global_id(0), get_global_id(1)), q = p * 2;
    float4 s = 0.0f;

    for (int i = 0; i < 4; i++) {
        int2 r = q + (int2)(i & 1, i >> 1);

        s += in[r.y * size.x * 2 + r.x];
    }
    out[p.y * size.x + p.x] = s * 0.25f;
}
//: kernel histogram_rows
//: buffer bins 16
//: local 16
//: global 16*g
//: at width=20 height=6 g=1
//: at width=33 height=4 g=3
kernel void histogram_rows(global const uchar *in, global int *bins, int width, int height)
{
    int2 p = (int2)(get_global_id(0), 0);

    if (p.x < width)
        while (p.y < height) {
            atomic_inc(&bins[in[PIXEL(p)] >> 4]);
            p.y++;
        }
}
//: kernel erode
//: buffer in width*height
//: local 8,8
//: global 8*gx,8*gy
//: at width=18 height=10 gx=3 gy=2
//: at width=16 height=8 gx=2 gy=1
kernel void erode(global const int *in, global int *out, int width, int height)
{
    const int2 pos = { get_global_id(0), get_global_id(1) };
    const int2 lo = max(pos - 1, (int2)(0)), hi = min(pos + 1, (int2)(width, height) - 1);
    int m = 255;

    if (any(pos >= (int2)(width, height)))
        return;
    for (int y = lo.y; y <= hi.y; y++)
        for (int x = lo.x; x <= hi.x; x++)
            m = min(m, in[y * width + x]);
    out[PIXEL(pos)] = m;
}
//: kernel yuv_planes
//: local 16,2
//: global 16*gx,2*gy
//: at gx=2 gy=3
//: at gx=1 gy=2
kernel void yuv_planes(global const uchar *y, global const uchar2 *uv, global float *out)
{
    int4 g;
    g.xy = (int2)(get_global_id(0), get_global_id(1));
    g.zw = g.xy >> 1;
    int w = get_global_size(0);
    uchar2 c = uv[g.w * (w / 2) + g.z];

    out[g.y * w + g.x] = (float)y[g.y * w + g.x] + 0.5f * (float)c.x;
}
//: kernel rotate_quarter
//: buffer out width*height
//: local 8,8
//: global 8*gx,8*gy
//: at width=24 height=16 gx=3 gy=2
//: at width=13 height=9 gx=2 gy=2
kernel void rotate_quarter(global const float *in, global float *out, int width, int height)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));

    if (all(p < (int2)(width, height))) {
        int2 q = (int2)(height - 1, 0) + (int2)(-1, 1) * p.yx;

        out[q.y * height + q.x] = in[PIXEL(p)];
    }
}
