/* A fixed number of rounds for each point, whatever it does: held within a square. */
__kernel void fractal_rounds(__global float *out, int w, int h, int rounds)
{
    int px = get_global_id(0);
    int py = get_global_id(1);

    if (px < w && py < h) {
        float cx = 3.0f * (float)px / (float)w - 2.0f;
        float cy = 2.0f * (float)py / (float)h - 1.0f;
        float x = 0.0f;
        float y = 0.0f;

        for (int r = 0; r < rounds; r++) {
            float next = x * x - y * y + cx;

            y = clamp(2.0f * x * y + cy, -2.0f, 2.0f);
            x = clamp(next, -2.0f, 2.0f);
        }
        out[py * w + px] = x * x + y * y;
    }
}
