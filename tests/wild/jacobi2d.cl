/* A 2-D Jacobi sweep; 'u' and 'v' have a row and a column of boundary on each side. */
#define U(y, x) u[(y) * pitch + (x)]
#define V(y, x) v[(y) * pitch + (x)]
#define SQUARE(t) ((t) * (t))

__kernel void jacobi2d(__global const float *restrict u, __global float *restrict v,
                       __global float *restrict residual, int w, int h, int pitch)
{
    for (int y = get_global_id(1) + 1; y <= h; y += get_global_size(1))
        for (int x = get_global_id(0) + 1; x <= w; x += get_global_size(0)) {
            const float t =
                0.25f * (U(y, x - 1) + U(y, x + 1) + U(y - 1, x) + U(y + 1, x));
            residual[(y - 1) * w + x - 1] = SQUARE(t - U(y, x));
            V(y, x) = t;
        }
}
