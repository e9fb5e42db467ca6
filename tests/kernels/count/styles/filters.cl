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
