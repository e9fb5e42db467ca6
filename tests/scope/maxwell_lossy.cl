/* A lossy material: each cell has a number, by which its two coefficients are found. */
__kernel void maxwell_lossy(__global double *field, __global const double *curl,
                            __global const uchar *material, __constant double *keep,
                            __constant double *gain, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        int m = material[i];

        field[i] = keep[m] * field[i] + gain[m] * curl[i];
    }
}
