#define N 64

/* A long private array that is read at places which change with each round. */
__kernel void scratch_mix(__global const float *in, __global float *out, int rounds)
{
    int i = get_global_id(0);
    int items = get_global_size(0);
    float v[N];

    for (int k = 0; k < N; k++)
        v[k] = in[i] + 0.01f * (float)k;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < N; k++)
            v[k] = 0.5f * v[k] + 0.5f * v[(k * 5 + r * 3 + 1) % N];
    for (int k = 0; k < 4; k++)
        out[k * items + i] = v[k * 16];
}
