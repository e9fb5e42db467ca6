__kernel void gather_records(__global const int *at, __global const float *record,
                             __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    __global const float *r = record + 16 * at[i];
    float sum = 0;

    for (int k = 0; k < 16; k++)
        sum += r[k] * (k + 1);
    out[i] = sum;
}
