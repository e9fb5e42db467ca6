/* Counters that lie apart: no two work-items of a group meet, each round moves on by a stride. */
__kernel void tally_spread(__global int *counter, int n, int rounds)
{
    int i = get_global_id(0);

    if (i < n)
        for (int r = 0; r < rounds; r++)
            atomic_add(&counter[i + r * n], i + r);
}
