__kernel void paths_volatile(__global float *payoff, int n, int steps)
{
    uint s = get_global_id(0) * 747796405u + 2891336453u;
    float x = 0.0f, v = 0.04f, dt = 1.0f / steps;

    if (get_global_id(0) >= n)
        return;
    for (int k = 0; k < steps; k++) {
        float u1, u2, r, a, b, root;

        s = s * 1664525u + 1013904223u;
        u1 = ((s >> 9) + 1) * 1.1920929e-7f;
        s = s * 1664525u + 1013904223u;
        u2 = (s >> 9) * 1.1920929e-7f;
        r = sqrt(-2.0f * log(u1));
        a = r * cos(6.2831853f * u2);
        b = r * sin(6.2831853f * u2);
        root = sqrt(fmax(v, 0.0f) * dt);
        x += -0.5f * v * dt + root * a;
        v += 1.5f * (0.04f - v) * dt + 0.3f * root * (0.8f * b - 0.6f * a);
    }
    payoff[get_global_id(0)] = fmax(exp(x) - 1.0f, 0.0f);
}
