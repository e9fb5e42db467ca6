/* Values weighted by scores up to the token itself: a column of a head for each work-item. */
__kernel void attend_mix(__global const float *weight, __global const float *value,
                         __global float *out, int tokens)
{
    int c = get_local_id(0);
    int row = get_group_id(1);
    int head = get_group_id(0);
    float sum = 0.0f;

    for (int t = 0; t <= row; t++)
        sum += weight[(head * tokens + row) * tokens + t] * value[(head * tokens + t) * 64 + c];
    out[(head * tokens + row) * 64 + c] = sum;
}
