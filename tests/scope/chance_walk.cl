/* Prices of many paths: sums of uniform numbers for a normal one, an exponential for each step. */
__kernel void chance_walk(__global const uint *seed, __global float *payoff, int paths, int steps,
                          float drift, float spread)
{
    int i = get_global_id(0);

    if (i < paths) {
        uint s = seed[i];
        float price = 1.0f;
        float mean = 0.0f;

        for (int t = 0; t < steps; t++) {
            float normal = -2.0f;

            for (int k = 0; k < 4; k++) {
                s = s * 1664525u + 1013904223u;
                normal += (float)(s >> 8) * 5.9604645e-8f;
            }
            price *= native_exp(drift + spread * normal);
            mean += price;
        }
        payoff[i] = fmax(mean / (float)steps - 1.0f, 0.0f) + price;
    }
}
