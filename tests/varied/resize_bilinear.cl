/* Half pixels are the centres; places outside are those of the border. */
__kernel void resize(__global const float *in, __global float *out, int wide, int high,
                     int from_w, int from_h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= wide || y >= high)
        return;
    float fx = (x + 0.5f) * ((float)from_w / wide) - 0.5f;
    float fy = (y + 0.5f) * ((float)from_h / high) - 0.5f;
    int x0 = (int)floor(fx), y0 = (int)floor(fy);
    float ax = fx - x0, ay = fy - y0;
    int x1 = min(x0 + 1, from_w - 1), y1 = min(y0 + 1, from_h - 1);

    x0 = max(x0, 0);
    y0 = max(y0, 0);
    float top = mix(in[y0 * from_w + x0], in[y0 * from_w + x1], ax);
    float bottom = mix(in[y1 * from_w + x0], in[y1 * from_w + x1], ax);

    out[y * wide + x] = mix(top, bottom, ay);
}
