/* All predecessors of a state; the costs of a predecessor lie together. */
__kernel void states_forward(__global const float *before, __global const float *cost,
                             __global const float *seen, __global float *after, int states)
{
    int s = get_global_id(0), t = get_global_id(1);

    if (s < states) {
        float best = INFINITY;

        for (int p = 0; p < states; p++)
            best = fmin(best, before[t * states + p] + cost[p * states + s]);
        after[t * states + s] = best + seen[t * states + s];
    }
}
