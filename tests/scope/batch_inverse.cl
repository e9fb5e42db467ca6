/* Inverses of 3x3 matrices by cofactors, each matrix nine doubles in a row. */
__kernel void invert3(__global const double *in, __global double *out, int count)
{
    int id = get_global_id(0);

    if (id < count) {
        __global const double *a = in + 9 * id;
        __global double *b = out + 9 * id;
        double c0 = a[4] * a[8] - a[5] * a[7];
        double c1 = a[5] * a[6] - a[3] * a[8];
        double c2 = a[3] * a[7] - a[4] * a[6];
        double scale = 1.0 / (a[0] * c0 + a[1] * c1 + a[2] * c2 + 4.0);

        b[0] = c0 * scale;
        b[1] = (a[2] * a[7] - a[1] * a[8]) * scale;
        b[2] = (a[1] * a[5] - a[2] * a[4]) * scale;
        b[3] = c1 * scale;
        b[4] = (a[0] * a[8] - a[2] * a[6]) * scale;
        b[5] = (a[2] * a[3] - a[0] * a[5]) * scale;
        b[6] = c2 * scale;
        b[7] = (a[1] * a[6] - a[0] * a[7]) * scale;
        b[8] = (a[0] * a[4] - a[1] * a[3]) * scale;
    }
}
