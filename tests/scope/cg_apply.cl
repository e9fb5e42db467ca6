/* y = A p for a 5-point operator with a coefficient of its own in each cell, and p zero outside. */
__kernel void apply_operator(__global const float *p, __global const float *k, __global float *y,
                             int nx, int ny)
{
    int i = get_global_id(0);
    int j = get_global_id(1);

    if (i < nx && j < ny) {
        int at = j * nx + i;
        float west = i > 0 ? p[at - 1] : 0.0f;
        float east = i < nx - 1 ? p[at + 1] : 0.0f;
        float south = j > 0 ? p[at - nx] : 0.0f;
        float north = j < ny - 1 ? p[at + nx] : 0.0f;

        y[at] = (4.0f + k[at]) * p[at] - west - east - south - north;
    }
}
