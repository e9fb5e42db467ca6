#define TILE 32
#define LINES 8

/* Transposition through a padded tile, four lines for each work-item, any width and height. */
__kernel void permute_tile(__global const float *in, __global float *out, int w, int h)
{
    __local float tile[TILE][TILE + 1];
    int lx = get_local_id(0);
    int ly = get_local_id(1);
    int x0 = get_group_id(0) * TILE;
    int y0 = get_group_id(1) * TILE;

    for (int k = ly; k < TILE; k += LINES)
        if (x0 + lx < w && y0 + k < h)
            tile[k][lx] = in[(y0 + k) * w + x0 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = ly; k < TILE; k += LINES)
        if (y0 + lx < h && x0 + k < w)
            out[(x0 + k) * h + y0 + lx] = tile[lx][k];
}
