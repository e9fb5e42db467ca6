#define ORDER(a, b)                                                                                    \
    {                                                                                                  \
        float low = fmin(a, b);                                                                        \
        b = fmax(a, b);                                                                                \
        a = low;                                                                                       \
    }

/* The frame of one pixel is copied. */
__kernel void median_nine(__global const float *from, __global float *to, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= w || y >= h)
        return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        to[y * w + x] = from[y * w + x];
        return;
    }
    {
        float p[9];

        for (int k = 0; k < 9; k++)
            p[k] = from[(y + k / 3 - 1) * w + x + k % 3 - 1];
        for (int pass = 0; pass < 5; pass++)
            for (int k = 0; k + 1 < 9 - pass; k++)
                ORDER(p[k], p[k + 1]);
        to[y * w + x] = p[4];
    }
}
