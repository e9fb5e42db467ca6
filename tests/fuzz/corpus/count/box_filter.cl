// local=16,16; global=w,h; kernel=box_filter; sub=32;
kernel void box_filter(global const float *in, global float *out, int w, int h, int r)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++) {
        int yy = clamp(y + dy, 0, h - 1);
        for (int dx = -2; dx <= 2; dx++) {
            int xx = x + dx;
            xx = min(max(xx, 0), w - 1);
            sum += in[yy * w + xx];
        }
    }
    out[y * w + x] = sum / 25;
}
