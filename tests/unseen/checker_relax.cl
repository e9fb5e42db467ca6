/* The points of one colour need those of the other alone. */
__kernel void checker_relax(__global float *u, __global const float *f, int w, int colour)
{
    int y = get_global_id(1) + 1;
    int x = 2 * get_global_id(0) + 1 + ((y + colour) & 1);

    if (x <= w) {
        int at = y * (w + 2) + x;

        u[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - w - 2] + u[at + w + 2] - f[at]);
    }
}
