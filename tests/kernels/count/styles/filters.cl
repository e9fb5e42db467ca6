/* filters.cl - image filters: borders clamped, skipped or wrapped */

//: kernel box3_clamped
//: local 16,8
//: global 16*ceil(w/16),8*ceil(h/8)
//: assume w >= 1 and h >= 1
//: at w=33 h=17
//: at w=48 h=8
kernel void box3_clamped(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;

    if (x >= w || y >= h)
        return;
    for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy < 0 ? 0 : y + dy >= h ? h - 1 : y + dy;
        for (int dx = -1; dx <= 1; dx++) {
            int xx = x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx;
            sum += in[yy * w + xx];
        }
    }
    out[y * w + x] = sum / 9.0f;
}

//: kernel threshold_rgb
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=64 g=1
//: marked global store
kernel void threshold_rgb(global const uchar *rgb, global uchar *mask, int n, float limit)
{
    int i = get_global_id(0);

    if (i < n) {
        float grey = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];

        if (grey > limit)
            mask[i] = 255;
    }
}

//: kernel sobel_inside
//: local 16,4
//: global 16*ceil(w/16),4*ceil(h/4)
//: at w=35 h=9
//: at w=16 h=4
kernel void sobel_inside(global const uchar *in, global uchar *out, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);

    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int gx = in[(y - 1) * w + x + 1] + 2 * in[y * w + x + 1] + in[(y + 1) * w + x + 1] -
             in[(y - 1) * w + x - 1] - 2 * in[y * w + x - 1] - in[(y + 1) * w + x - 1];
    int gy = in[(y + 1) * w + x - 1] + 2 * in[(y + 1) * w + x] + in[(y + 1) * w + x + 1] -
             in[(y - 1) * w + x - 1] - 2 * in[(y - 1) * w + x] - in[(y - 1) * w + x + 1];
    float strength = sqrt((float)(gx * gx + gy * gy));
    out[y * w + x] = convert_uchar_sat(strength);
}

//: kernel gauss_rows_tile
//: local 64,1
//: global 64*ceil(w/64),h
//: options -DR=4 -DTILE=64
//: at w=70 h=3
//: at w=128 h=2
kernel void gauss_rows_tile(global const float *in, global float *out, constant float *weight,
                            int w)
{
    local float line[TILE + 2 * R];
    int lx = get_local_id(0), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;

    for (int i = lx; i < TILE + 2 * R; i += TILE) {
        int from = x - lx + i - R;
        line[i] = from >= 0 && from < w ? in[y * w + from] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w) {
        for (int k = -R; k <= R; k++)
            sum += weight[k + R] * line[lx + R + k];
        out[y * w + x] = sum;
    }
}

//: kernel median_network
//: local 16,16
//: global 16*gx,16*gy
//: at gx=2 gy=1
//: at gx=1 gy=3
kernel void median_network(global const float *in, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    int h = get_global_size(1);
    float v[9];

    for (int i = 0; i < 9; i++) {
        int xx = clamp(x + i % 3 - 1, 0, w - 1), yy = clamp(y + i / 3 - 1, 0, h - 1);
        v[i] = in[yy * w + xx];
    }
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++) {
            float low = fmin(v[i], v[j]), high = fmax(v[i], v[j]);
            v[i] = low;
            v[j] = high;
        }
    out[y * w + x] = v[4];
}

//: kernel erode_radius
//: buffer in w*h
//: local 8,8
//: global 8*ceil(w/8),8*ceil(h/8)
//: at w=19 h=11 r=2
//: at w=16 h=16 r=1
//: assume r >= 0
kernel void erode_radius(global const uchar *in, global uchar *out, int w, int h, int r)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h) {
        uchar least = 255;
        for (int j = max(y - r, 0); j <= min(y + r, h - 1); j++)
            for (int i = max(x - r, 0); i <= min(x + r, w - 1); i++)
                least = min(least, in[j * w + i]);
        out[y * w + x] = least;
    }
}

//: kernel blur_wrapped
//: buffer in n
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=130 g=3
kernel void blur_wrapped(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    int left = (i + n - 1) % n, right = (i + 1) % n;
    out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];
}

//: kernel mirror_edge
//: buffer in n
//: local 32
//: global 32*ceil(n/32)
//: at n=50 k=5
//: at n=96 k=3
//: assume k >= 1 and n >= 8
kernel void mirror_edge(global const float *in, global float *out, constant float *mask, int n,
                        int k)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int j = 0; j < k; j++) {
        int at = i + j - k / 2;
        if (at < 0)
            at = -at;
        if (at >= n)
            at = 2 * n - 2 - at;
        sum = mad(mask[j], in[at], sum);
    }
    out[i] = sum;
}

//: kernel half_size
//: local 16,8
//: global 16*ceil(w/16),8*ceil(h/8)
//: at w=21 h=9
//: at w=32 h=16
kernel void half_size(global const uchar4 *in, global uchar4 *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x < w && y < h) {
        ushort4 sum = convert_ushort4(in[2 * y * 2 * w + 2 * x]) +
                      convert_ushort4(in[2 * y * 2 * w + 2 * x + 1]) +
                      convert_ushort4(in[(2 * y + 1) * 2 * w + 2 * x]) +
                      convert_ushort4(in[(2 * y + 1) * 2 * w + 2 * x + 1]);
        out[y * w + x] = convert_uchar4(sum / (ushort4)(4));
    }
}

//: kernel tile_with_apron
//: local 16,16
//: global 16*gx,16*gy
//: at gx=2 gy=2
//: at gx=1 gy=3
kernel void tile_with_apron(global const float *in, global float *out)
{
    local float tile[18][18];
    int w = get_global_size(0), h = get_global_size(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * 16 - 1, y0 = get_group_id(1) * 16 - 1;

    for (int i = ly * 16 + lx; i < 18 * 18; i += 256) {
        int x = x0 + i % 18, y = y0 + i / 18;
        tile[i / 18][i % 18] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(y0 + 1 + ly) * w + x0 + 1 + lx] =
        0.2f * (tile[ly + 1][lx + 1] + tile[ly][lx + 1] + tile[ly + 2][lx + 1] +
                tile[ly + 1][lx] + tile[ly + 1][lx + 2]);
}

//: kernel bilateral
//: lanes-marked divergent branch
//: local 8,4
//: global 8*ceil(w/8),4*ceil(h/4)
//: at w=13 h=7
//: at w=24 h=4
kernel void bilateral(global const float *in, global float *out, int w, int h, float sigma)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float centre = in[y * w + x], sum = 0.0f, norm = 0.0f;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx < 0 || xx >= w || yy < 0 || yy >= h)
                continue;
            float v = in[yy * w + xx], d = v - centre;
            float g = exp(-(d * d) * sigma) * native_exp(-0.5f * (dx * dx + dy * dy));
            sum += g * v;
            norm += g;
        }
    out[y * w + x] = sum / norm;
}

//: kernel planar_to_yuv
//: local 64
//: global 64*g
//: at n=64 g=1
//: at n=150 g=3
kernel void planar_to_yuv(global const float *r, global const float *g_, global const float *b,
                          global float *yuv, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        float red = r[i], green = g_[i], blue = b[i];
        float y = 0.299f * red + 0.587f * green + 0.114f * blue;
        yuv[i] = y;
        yuv[i + n] = 0.492f * (blue - y);
        yuv[i + 2 * n] = 0.877f * (red - y);
    }
}

//: kernel integral_rows
//: local 32
//: global 32*ceil(h/32)
//: at w=9 h=40
//: at w=17 h=32
kernel void integral_rows(global const uint *in, global uint *out, int w, int h)
{
    int y = get_global_id(0);
    uint sum = 0;

    if (y < h)
        for (int x = 0; x < w; x++) {
            sum += in[y * w + x];
            out[y * w + x] = sum;
        }
}

//: kernel lookup_table
//: local 64
//: global 64*g
//: at n=100 g=2
//: at n=128 g=2
//: buffer table 256
kernel void lookup_table(global uchar *image, constant uchar *table, int n)
{
    int i = get_global_id(0);

    if (i < n)
        image[i] = table[image[i]];
}

//: kernel optional_mask
//: local 64
//: global 64*g
//: at g=1
//: at g=2
//: marked mul, global load, constant load
kernel void optional_mask(global float *a, global const float *mask, constant float *gain)
{
    int i = get_global_id(0);
    float v = a[i];

    if (mask)
        v *= mask[i];
    a[i] = gain ? v * gain[i] : v;
}

//: kernel without_input
//: local 64
//: global 64*g
//: at g=1
//: at g=2
//: marked global load, global store, add
kernel void without_input(global const float *in, global float *out)
{
    if (!in || !out)
        return;
    out[get_global_id(0)] = in[get_global_id(0)] + 1.0f;
}
