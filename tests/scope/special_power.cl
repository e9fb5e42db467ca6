/* A curve with powers, iterated: the functions that compilers call, not the fast ones. */
__kernel void special_power(__global float *x, int n, int rounds, float e)
{
    int i = get_global_id(0);

    if (i < n) {
        float v = x[i];

        for (int r = 0; r < rounds; r++)
            v = pow(v, e) * 0.75f + 0.25f * cbrt(v) - 0.01f * floor(10.0f * v) / 10.0f + 0.05f;
        x[i] = v;
    }
}
