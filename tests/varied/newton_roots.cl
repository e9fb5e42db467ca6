__kernel void newton_roots(__global const float *a, __global float *x, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float v = 3.0f * fabs(a[i]) + 0.1f, y = 1.0f;

    for (int k = 0; k < 24; k++)
        y = y - (y * y * y - v) / (3.0f * y * y);
    x[i] = y;
}
