/* Pulls from the neighbours, on a torus; walls turn what comes round. */
__kernel void boltz(__global const float *f, __global float *g,
                    __global const uchar *wall, int nx, int ny, float omega)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= nx || y >= ny)
        return;
    int n = nx * ny, at = y * nx + x;
    int w = x > 0 ? x - 1 : nx - 1, e = x < nx - 1 ? x + 1 : 0;
    int s = y > 0 ? y - 1 : ny - 1, t = y < ny - 1 ? y + 1 : 0;
    float c = f[at];
    float a = f[n + y * nx + w], b = f[2 * n + y * nx + e];
    float u = f[3 * n + s * nx + x], d = f[4 * n + t * nx + x];
    float p = f[5 * n + s * nx + w], q = f[6 * n + t * nx + e];
    float r = f[7 * n + t * nx + w], v = f[8 * n + s * nx + e];

    if (wall[at]) {
        g[at] = c;
        g[n + at] = b;
        g[2 * n + at] = a;
        g[3 * n + at] = d;
        g[4 * n + at] = u;
        g[5 * n + at] = q;
        g[6 * n + at] = p;
        g[7 * n + at] = v;
        g[8 * n + at] = r;
        return;
    }
    float rho = c + a + b + u + d + p + q + r + v + 0.1f;
    float ux = (a - b + p - q + r - v) / rho, uy = (u - d + p - q - r + v) / rho;
    float k = 1.0f - 1.5f * (ux * ux + uy * uy);

    g[at] = c + omega * (0.4444444f * rho * k - c);
    g[n + at] = a + omega * (0.1111111f * rho * (k + 3.0f * ux + 4.5f * ux * ux) - a);
    g[2 * n + at] = b + omega * (0.1111111f * rho * (k - 3.0f * ux + 4.5f * ux * ux) - b);
    g[3 * n + at] = u + omega * (0.1111111f * rho * (k + 3.0f * uy + 4.5f * uy * uy) - u);
    g[4 * n + at] = d + omega * (0.1111111f * rho * (k - 3.0f * uy + 4.5f * uy * uy) - d);
    float z = ux + uy, o = ux - uy;

    g[5 * n + at] = p + omega * (0.0277778f * rho * (k + 3.0f * z + 4.5f * z * z) - p);
    g[6 * n + at] = q + omega * (0.0277778f * rho * (k - 3.0f * z + 4.5f * z * z) - q);
    g[7 * n + at] = r + omega * (0.0277778f * rho * (k + 3.0f * o + 4.5f * o * o) - r);
    g[8 * n + at] = v + omega * (0.0277778f * rho * (k - 3.0f * o + 4.5f * o * o) - v);
}
