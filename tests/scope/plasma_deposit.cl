/* Charges onto a grid, in fixed point by atomics: two cells for each particle. */
__kernel void deposit(__global const float *x, __global int *density, int n, int cells)
{
    int i = get_global_id(0);

    if (i < n) {
        float place = x[i] * (float)(cells - 1);
        int cell = (int)place;
        int right = (int)((place - (float)cell) * 1024.0f);

        atomic_add(&density[cell], 1024 - right);
        atomic_add(&density[cell + 1], right);
    }
}
