__kernel void steps_small(__global const float *x, __global float *out, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float a[3][3], b[3][3], c[3][3];

    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            a[r][s] = x[i] + r * 0.1f;
            b[r][s] = x[i] - s * 0.1f;
        }
    for (int k = 0; k < 20; k++) {
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) {
                c[r][s] = 0;
                for (int t = 0; t < 3; t++)
                    c[r][s] += a[r][t] * b[t][s];
            }
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++)
                a[r][s] = 0.3f * c[r][s];
    }
    out[i] = a[0][0] + a[1][1] + a[2][2];
}
