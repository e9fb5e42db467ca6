/* Loops whose counts are not products of their bounds. */
__kernel void triangular(__global const float *a, __global float *c, int n, int p)
{
    int l = get_local_id(0);
    float s = 0;

    for (int i = p; i < n; i++)
        for (int j = p; j < i + 1; j++)
            s += a[i * n + j];
    for (int q = l; q < n; q += 16)
        s += a[q] / 3.0f;
    c[get_global_id(0)] = s;
}

__kernel void backwards(__global const float *a, __global float *c, int n)
{
    __global const float *p = a + 4 * get_global_id(0);
    float s = 0;

    for (int k = n - 1; k >= 0; k -= 3) {
        s += *p * 1.5f;
        p += 2;
    }
    for (int k = 0; k != 9; ++k)
        s *= 1.5f;
#pragma unroll 4
    for (int k = 0; k < min(n, 7); ++k)
        s = a[k] - s;
    for (int k = 0; 10 > k; k += 4)
        for (int m = k; m < 10; m++)
            s -= a[m] * s;
    c[get_global_id(0)] = s;
}

__kernel void early(__global const float *a, __global float *c, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    c[i] = 2.5f * a[i];
    if (get_local_id(0) % 3 == 1 && i >= 5)
        c[i] = 1.5f;
}

__kernel void skipping(__global const float *a, __global float *c, int n, int p)
{
    int i, k = 0;
    float s = 0;

    for (i = 0; i < n - p; i++)
        s += a[i];
    for (; i < n; i++) {
        if (i >= 9)
            continue;
        s += a[k] * 2.5f;
        k += 3;
    }
    c[get_global_id(0)] = s;
}
