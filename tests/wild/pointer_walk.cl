/* Column sums and scaled copies with pointers that walk through the matrix. */
__kernel void pointer_walk(__global const float *in, __global float *out,
                           __global float *sums, int n, int m)
{
    int c = get_global_id(0);
    if (c >= m)
        return;

    __global const float *p = in + c;
    __global float *q = &out[c];
    float sum = 0.0f;
    int i;

    for (i = 0; i < n; i++) {
        float v = *p;
        sum += v;
        *q = 2.0f * v;
        p += m;
        q += m;
    }
    p -= m;               /* the last row again */
    sums[c] = sum - p[0];

    __global const float *end = in + n;
    for (p = in; p < end; p++)
        sum += *p;
    sums[m + c] = sum;
}
