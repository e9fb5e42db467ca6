__kernel void set_escape(__global int *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h, r = 0, i = 0;
    int inside = 0;

    for (int k = 0; k < 256; k++) {
        float next = r * r - i * i + cr;

        i = 2 * r * i + ci;
        r = next;
        inside += r * r + i * i < 4.0f;
    }
    out[y * w + x] = inside;
}
