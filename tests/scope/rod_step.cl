/* Heat along a rod: ends are fixed. */
__kernel void rod_step(__global const float *old, __global float *new, int n)
{
    int i = get_global_id(0);

    if (i > 0 && i < n - 1)
        new[i] = old[i] + 0.25f * (old[i - 1] - 2.0f * old[i] + old[i + 1]);
    else if (i == 0 || i == n - 1)
        new[i] = old[i];
}
