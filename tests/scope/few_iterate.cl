/* A handful of points, each iterated for long: hardly any work-items, no memory. */
__kernel void few_iterate(__global float *x, int rounds, float r)
{
    int i = get_global_id(0);
    float v = x[i];

    for (int k = 0; k < rounds; k++)
        v = r * v * (1.0f - v);
    x[i] = v;
}
