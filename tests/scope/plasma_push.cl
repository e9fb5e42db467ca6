/* Particles in a magnetic field: half a kick, a turn, half a kick, a move. */
__kernel void boris(__global float *x, __global float *vx, __global float *vy,
                    __global const float *ex, __global const float *bz, int n, float dt)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float kick = 0.5f * dt * ex[i];
    float t = 0.5f * dt * bz[i];
    float s = 2.0f * t / (1.0f + t * t);
    float ux = vx[i] + kick;
    float uy = vy[i];
    float wx = ux + uy * t;
    float wy = uy - ux * t;

    ux += wy * s;
    uy -= wx * s;
    ux += kick;
    vx[i] = ux;
    vy[i] = uy;
    x[i] += dt * ux;
}
