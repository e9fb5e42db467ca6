/* kernel: nearest_centre
 *
 * A square by a lambda with an argument of any type.
 */
__global__ void nearest_centre(float *feature, float *centre, int *nearest, int points,
                               int centres, int features, int unused)
{
    unsigned int p = blockIdx.x * blockDim.x + threadIdx.x;
    auto apart = [=](int c, int f) { return feature[f * points + p] - centre[c * features + f]; };

    if (p < points) {
        int best = 0;
        float least = 3.402823466e+38f;
        for (int c = 0; c < centres; c++) {
            float distance = 0;
            for (int f = 0; f < features; f++)
                distance += apart(c, f) * apart(c, f);
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        nearest[p] = best;
    }
}
