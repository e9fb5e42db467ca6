/* Waves on a plane with a damping layer: each side has another branch. */
__kernel void damp(__global float *p, __global float *q, int nx, int ny, int width, float strength)
{
    int x = get_global_id(0);
    int y = get_global_id(1);

    if (x < nx && y < ny) {
        int depth = 0;
        if (x < width)
            depth = width - x;
        else if (x >= nx - width)
            depth = x - (nx - width) + 1;
        if (y < width)
            depth += width - y;
        else if (y >= ny - width)
            depth += y - (ny - width) + 1;
        float keep = native_exp(-strength * (float)(depth * depth));

        p[y * nx + x] *= keep;
        q[y * nx + x] *= keep;
    }
}
