/* Real and imaginary parts of all sites lie apart; the neighbour is a stride away. */
__kernel void gauge_times(__global const float *u, __global const float *v, __global float *out, int sites,
                          int directions)
{
    int s = get_global_id(0);
    float sum[6] = { 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f };

    for (int d = 0; d < directions; d++) {
        int far = 1 << (3 * d), t = (s + far) & (sites - 1);

        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                int k = d * 18 + (r * 3 + c) * 2;
                float ur = u[k * sites + s], ui = u[(k + 1) * sites + s];
                float vr = v[2 * c * sites + t], vi = v[(2 * c + 1) * sites + t];

                sum[2 * r] += ur * vr - ui * vi;
                sum[2 * r + 1] += ur * vi + ui * vr;
            }
    }
    for (int k = 0; k < 6; k++)
        out[k * sites + s] = sum[k];
}
