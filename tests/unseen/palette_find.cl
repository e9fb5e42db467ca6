__kernel void palette_find(__global const uchar4 *pixel, __constant int *palette, __global uchar *out, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        int4 p = convert_int4(pixel[i]);
        int best = INT_MAX, which = 0;

        for (int k = 0; k < 64; k++) {
            int r = p.x - (palette[3 * k] & 255), g = p.y - (palette[3 * k + 1] & 255);
            int b = p.z - (palette[3 * k + 2] & 255);
            int d = r * r + g * g + b * b;

            if (d < best) {
                best = d;
                which = k;
            }
        }
        out[i] = which;
    }
}
