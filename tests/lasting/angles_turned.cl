__kernel void angles_turned(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float a = x[i], sum = 0;

    for (int k = 0; k < 32; k++) {
        float s = sin(a), c = cos(a), t = atan2(s, c + 0.1f);

        a = 0.3f + t * 0.5f;
        sum += s * c;
    }
    out[i] = sum;
}
