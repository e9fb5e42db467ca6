/* The game of life on a torus, a byte for each cell. */
__kernel void life_bytes(__global const uchar *old, __global uchar *new, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < w && y < h) {
        int west = (x + w - 1) % w;
        int east = (x + 1) % w;
        int up = (y + h - 1) % h * w;
        int row = y * w;
        int down = (y + 1) % h * w;
        int around = old[up + west] + old[up + x] + old[up + east] + old[row + west] +
                     old[row + east] + old[down + west] + old[down + x] + old[down + east];

        new[row + x] = around == 3 || (around == 2 && old[row + x] != 0);
    }
}
