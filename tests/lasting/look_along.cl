__kernel void look_along(__global const uint *first, __global const uint *next,
                         __global uint *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    uint at = first[i];

    for (int k = 0; k < 3; k++)
        at = next[at];
    out[i] = at;
}
