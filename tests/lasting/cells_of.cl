__kernel void cells_of(__global const float *pos, __global int *count, int n, int side)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    int x = (int)(pos[3 * i] * side), y = (int)(pos[3 * i + 1] * side),
        z = (int)(pos[3 * i + 2] * side);

    x = clamp(x, 0, side - 1);
    y = clamp(y, 0, side - 1);
    z = clamp(z, 0, side - 1);
    atomic_add(&count[(z * side + y) * side + x], 1);
}
