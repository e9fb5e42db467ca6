/* The nearest of the cluster centres for each point; features lie one after another. */
__kernel void nearest_centre(__global float *feature, __global float *centre,
                             __global int *nearest, int points, int centres, int features,
                             int unused)
{
    unsigned int p = get_global_id(0);
    if (p < points) {
        int best = 0;
        float least = MAXFLOAT;
        for (int c = 0; c < centres; c++) {
            float distance = 0;
            for (int f = 0; f < features; f++) {
                distance += (feature[f * points + p] - centre[c * features + f]) *
                            (feature[f * points + p] - centre[c * features + f]);
            }
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        nearest[p] = best;
    }
    return;
}
