/* Row (channel, ky, kx) of the matrix has the pixels that this weight meets; outside is nought. */
__kernel void columns_gather(__global const float *image, __global float *column, const int c,
                             const int h, const int w)
{
    const int i = get_global_id(0);

    if (i < c * 9 * h * w) {
        const int x = i % w;
        const int y = i / w % h;
        const int row = i / (w * h);
        const int kx = row % 3;
        const int ky = row / 3 % 3;
        const int channel = row / 9;
        const int sx = x + kx - 1, sy = y + ky - 1;

        column[i] = sx >= 0 && sx < w && sy >= 0 && sy < h ? image[(channel * h + sy) * w + sx] : 0.0f;
    }
}
