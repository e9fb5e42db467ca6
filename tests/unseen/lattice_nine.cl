__constant int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
__constant int ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };

/* Pulls from neighbours on a torus; populations lie apart. */
__kernel void lattice_nine(__global const float *f, __global float *g, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float p[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;

    if (x >= w)
        return;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = (x - ex[q] + w) % w, sy = (y - ey[q] + h) % h;

        p[q] = f[(q * h + sy) * w + sx];
        rho += p[q];
        ux += ex[q] * p[q];
        uy += ey[q] * p[q];
    }
    ux /= rho;
    uy /= rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float weight = q == 0 ? 4.0f / 9.0f : q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
        float e = 3.0f * (ex[q] * ux + ey[q] * uy);
        float equal = weight * rho * (1.0f + e + 0.5f * e * e - 1.5f * (ux * ux + uy * uy));

        g[(q * h + y) * w + x] = p[q] - 0.6f * (p[q] - equal);
    }
}
