__kernel void bags_summed(__global const int *index, __global const float *table,
                          __global float *out, int width)
{
    int bag = get_group_id(0), c = get_local_id(0);
    float sum = 0;

    for (int k = 0; k < 16; k++)
        sum += table[index[bag * 16 + k] * width + c];
    out[bag * width + c] = sum;
}
