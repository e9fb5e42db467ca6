/* A group for each head of a token; partners are 64 apart. */
__kernel void rotary_pairs(__global float *x, int heads)
{
    int g = get_group_id(0), l = get_local_id(0), token = g / heads;
    float angle = token * exp2(-0.2076f * l);
    float s = sin(angle), c = cos(angle);
    __global float *row = x + g * 128;
    float a = row[l], b = row[l + 64];

    row[l] = a * c - b * s;
    row[l + 64] = a * s + b * c;
}
