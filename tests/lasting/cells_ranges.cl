__kernel void cells_ranges(__global const int *start, __global const float *mass,
                           __global float *out, int side)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;

    if (x >= side || y >= side)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int c = (y + dy + side) % side * side + (x + dx + side) % side;

            for (int k = start[c]; k < start[c + 1]; k++)
                sum += mass[k];
        }
    out[y * side + x] = sum;
}
