/* Particles as structs: drift by their velocities, walls at 0 and 1 reflect. */
typedef struct {
    float x, y, z;
    float m;
} particle;

__kernel void drift(__global particle *p, __global const float *vx,
                    __global float *energy, const float dt, const int n)
{
    const int i = get_global_id(0);

    if (i < n) {
        particle q = p[i];
        const float v = vx[i];

        q.x += dt * v;
        if (q.x > 1.0f)
            q.x = 2.0f - q.x;
        p[i].x = q.x;
        energy[i] = 0.5f * q.m * v * v;
    }
}

__kernel void centre(__global const particle *p, __global particle *c, const int n)
{
    particle sum = { 0.0f, 0.0f, 0.0f, 0.0f };

    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum.x += p[i].m * p[i].x;
        sum.y += p[i].m * p[i].y;
        sum.z += p[i].m * p[i].z;
        sum.m += p[i].m;
    }
    c[get_global_id(0)] = sum;
}
