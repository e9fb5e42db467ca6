__kernel void near_points(__global const float *x, __global const float *centre,
                          __global int *best, int n, int centres)
{
    int i = get_global_id(0), at = 0;

    if (i >= n)
        return;
    float least = 1e30f;

    for (int c = 0; c < centres; c++) {
        float d = 0;

        for (int k = 0; k < 8; k++) {
            float a = x[k * n + i] - centre[k * centres + c];

            d += a * a;
        }
        if (d < least) {
            least = d;
            at = c;
        }
    }
    best[i] = at;
}
