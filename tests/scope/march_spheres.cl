#define SPHERES 8

/* Rays through spheres, a fixed number of steps as long as the nearest is far. */
__kernel void march_spheres(__global const float4 *sphere, __global float *depth, int w, int h,
                            int steps)
{
    int px = get_global_id(0);
    int py = get_global_id(1);

    if (px >= w || py >= h)
        return;
    float dx = (float)px / (float)w - 0.5f;
    float dy = (float)py / (float)h - 0.5f;
    float scale = rsqrt(dx * dx + dy * dy + 1.0f);
    float t = 0.0f;

    for (int s = 0; s < steps; s++) {
        float near = 100.0f;

        for (int k = 0; k < SPHERES; k++) {
            float4 ball = sphere[k];
            float x = t * dx * scale - ball.x;
            float y = t * dy * scale - ball.y;
            float z = t * scale - 4.0f * ball.z;

            near = fmin(near, sqrt(x * x + y * y + z * z) - 0.3f * ball.w);
        }
        t += fmax(near, 0.001f);
    }
    depth[py * w + px] = t;
}
