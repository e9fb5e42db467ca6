/* Ranks of pages: each takes shares of 'degree' others, which a list names. */
__kernel void graph_rank(__global const float *rank, __global const int *from, __global float *next,
                         int n, int degree)
{
    int i = get_global_id(0);
    float sum = 0.0f;

    if (i >= n)
        return;
    for (int k = 0; k < degree; k++)
        sum += rank[from[i * degree + k]];
    next[i] = 0.15f + 0.85f * sum / (float)degree;
}
