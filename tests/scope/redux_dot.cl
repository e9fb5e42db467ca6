/* A dot product in double; each work-item has eight neighbours of its own. */
__kernel void dot_eight(__global const double *x, __global const double *y, __global double *parts,
                        int n)
{
    __local double part[64];
    int l = get_local_id(0);
    int first = get_group_id(0) * 512;
    double sum = 0.0;

    for (int k = 0; k < 8; k++) {
        int i = first + k * 64 + l;

        if (i < n)
            sum = fma(x[i], y[i], sum);
    }
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        part[l] += part[l + 8] + part[l + 16] + part[l + 24] + part[l + 32] + part[l + 40] +
                   part[l + 48] + part[l + 56];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 1; k < 8; k++)
            part[0] += part[k];
        parts[get_group_id(0)] = part[0];
    }
}
