#define DEGREE 8

/* Distances one round on: neighbours of a node follow from its number. */
__kernel void graph_relax(__global const float *old, __global const float *length,
                          __global float *new, int n, int jump)
{
    int i = get_global_id(0);

    if (i < n) {
        float best = old[i];

        for (int k = 1; k <= DEGREE; k++) {
            int from = (i + k * jump) % n;

            best = fmin(best, old[from] + length[(k - 1) * n + i]);
        }
        new[i] = best;
    }
}
