/* One row of a cheapest path: the best of three cells above. */
__kernel void align_row(__global const int *above, __global const int *cost, __global int *here, int n)
{
    int j = get_global_id(0);

    if (j < n) {
        int best = above[j];

        if (j > 0)
            best = min(best, above[j - 1]);
        if (j < n - 1)
            best = min(best, above[j + 1]);
        here[j] = best + cost[j];
    }
}
