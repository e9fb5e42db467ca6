__kernel void walk_steps(__global const int *length, __global const float *start,
                         __global float *end, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float x = start[i];

    for (int k = 0; k < length[i]; k++)
        x = 3.7f * x * (1 - x);
    end[i] = x;
}
