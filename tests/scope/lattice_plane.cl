/* A fluid on a plane: nine directions, each an array; collected from around, then relaxed. */
__kernel void lattice_plane(__global const float *restrict f, __global float *restrict g, int nx,
                            int ny, float rate)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x >= nx || y >= ny)
        return;
    int cells = nx * ny;
    int at = y * nx + x;
    int west = x > 0 ? x - 1 : nx - 1;
    int east = x < nx - 1 ? x + 1 : 0;
    int south = y > 0 ? y - 1 : ny - 1;
    int north = y < ny - 1 ? y + 1 : 0;
    float f0 = f[at];
    float f1 = f[cells + y * nx + west];
    float f2 = f[2 * cells + south * nx + x];
    float f3 = f[3 * cells + y * nx + east];
    float f4 = f[4 * cells + north * nx + x];
    float f5 = f[5 * cells + south * nx + west];
    float f6 = f[6 * cells + south * nx + east];
    float f7 = f[7 * cells + north * nx + east];
    float f8 = f[8 * cells + north * nx + west];
    float mass = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float ux = (f1 + f5 + f8 - f3 - f6 - f7) / mass;
    float uy = (f2 + f5 + f6 - f4 - f7 - f8) / mass;
    float still = 1.0f - 1.5f * (ux * ux + uy * uy);
    float axis = rate * mass / 9.0f;
    float corner = rate * mass / 36.0f;
    float keep = 1.0f - rate;
    float a = ux + uy;
    float b = uy - ux;

    g[at] = keep * f0 + 4.0f * axis * still;
    g[cells + at] = keep * f1 + axis * (still + 3.0f * ux + 4.5f * ux * ux);
    g[2 * cells + at] = keep * f2 + axis * (still + 3.0f * uy + 4.5f * uy * uy);
    g[3 * cells + at] = keep * f3 + axis * (still - 3.0f * ux + 4.5f * ux * ux);
    g[4 * cells + at] = keep * f4 + axis * (still - 3.0f * uy + 4.5f * uy * uy);
    g[5 * cells + at] = keep * f5 + corner * (still + 3.0f * a + 4.5f * a * a);
    g[6 * cells + at] = keep * f6 + corner * (still + 3.0f * b + 4.5f * b * b);
    g[7 * cells + at] = keep * f7 + corner * (still - 3.0f * a + 4.5f * a * a);
    g[8 * cells + at] = keep * f8 + corner * (still - 3.0f * b + 4.5f * b * b);
}
