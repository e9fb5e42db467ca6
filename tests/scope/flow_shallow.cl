/* Shallow water on a plane: heights and two currents by differences, walls at the sides. */
__kernel void flow_shallow(__global const float *h, __global const float *u, __global const float *v,
                           __global float *next, int nx, int ny, float dt)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < nx && y < ny) {
        int at = y * nx + x;
        float east = x + 1 < nx ? u[at + 1] * 0.5f * (h[at] + h[at + 1]) : 0.0f;
        float west = x > 0 ? u[at] * 0.5f * (h[at] + h[at - 1]) : 0.0f;
        float north = y + 1 < ny ? v[at + nx] * 0.5f * (h[at] + h[at + nx]) : 0.0f;
        float south = y > 0 ? v[at] * 0.5f * (h[at] + h[at - nx]) : 0.0f;

        next[at] = h[at] - dt * (east - west + north - south);
    }
}
