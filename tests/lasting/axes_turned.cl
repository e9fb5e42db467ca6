__kernel void axes_turned(__global const float *in, __global float *out, int a, int b, int c,
                          int d)
{
    int i = get_global_id(0);

    if (i >= a * b * c * d)
        return;
    int x = i % d, y = i / d % c, z = i / (d * c) % b, w = i / (d * c * b);

    out[((y * a + w) * d + x) * b + z] = in[i];
}
