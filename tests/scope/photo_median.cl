#define ORDER(a, b)            \
    {                          \
        float low = fmin(a, b); \
        b = fmax(a, b);        \
        a = low;               \
    }

/* The median of a plus of five points and its four diagonal neighbours, by exchanges. */
__kernel void median_nine(__global const float *in, __global float *out, int pitch, int w, int h)
{
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;

    if (x < w - 1 && y < h - 1) {
        float v[9];

        for (int i = 0; i < 9; i++)
            v[i] = in[(y + i / 3 - 1) * pitch + x + i % 3 - 1];
        for (int end = 8; end > 3; end--)
            for (int i = 0; i < end; i++)
                ORDER(v[i], v[i + 1])
        out[y * pitch + x] = v[4];
    }
}
