__kernel void float_sums(__global const int *cell, __global const float *mass,
                         __global uint *total, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    volatile __global uint *at = &total[cell[i]];
    uint old = *at, seen;

#pragma gpucal trips tries
    for (;;) {
        seen = atomic_cmpxchg(at, old, as_uint(as_float(old) + mass[i]));
        if (seen == old)
            break;
        old = seen;
    }
}
