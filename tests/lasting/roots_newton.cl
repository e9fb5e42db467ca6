__kernel void roots_newton(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float r = x[i], a = 2 + r;

    for (int k = 0; k < 40; k++) {
        r = r - (r * r * r - a) / (3 * r * r);
        a += 0.01f * r;
    }
    out[i] = r;
}
