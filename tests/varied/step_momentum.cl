__kernel void step_momentum(__global float *w, __global const float *g, __global float *m,
                            __global float *v, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        float d = g[i];
        float a = 0.9f * m[i] + 0.1f * d, b = 0.999f * v[i] + 0.001f * d * d;

        m[i] = a;
        v[i] = b;
        w[i] -= 0.001f * a / (sqrt(b) + 1.0e-8f);
    }
}
