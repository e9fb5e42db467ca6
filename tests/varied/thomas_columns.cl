__kernel void thomas(__global const float *a, __global const float *b, __global float *c,
                     __global float *d, int systems, int n)
{
    int s = get_global_id(0);

    if (s >= systems)
        return;
    float cp = c[s] / b[s], dp = d[s] / b[s];

    c[s] = cp;
    d[s] = dp;
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        float m = 1.0f / (b[at] - a[at] * cp);

        cp = c[at] * m;
        dp = (d[at] - a[at] * dp) * m;
        c[at] = cp;
        d[at] = dp;
    }
    for (int i = n - 2; i >= 0; i--) {
        int at = i * systems + s;

        dp = d[at] - c[at] * dp;
        d[at] = dp;
    }
}
