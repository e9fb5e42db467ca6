__kernel void sum_columns(__global float *p, int w, int h)
{
    int x = get_global_id(0);
    float s = 0.0f;

    if (x >= w)
        return;
    for (int y = 0; y < h; y++) {
        s += p[y * w + x];
        p[y * w + x] = s;
    }
}
