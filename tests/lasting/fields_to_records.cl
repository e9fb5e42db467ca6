__kernel void fields_to_records(__global const float *field, __global float *record, int n)
{
    int i = get_global_id(0);

    if (i < n)
        for (int k = 0; k < 7; k++)
            record[7 * i + k] = field[k * n + i] + k;
}
