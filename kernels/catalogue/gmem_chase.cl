/* Loads of which each waits for the one before: its address has the loaded value as a term.
 * The values are 0, but no compiler knows that.
 *
 * A work-item loads one word of each of 'n/8/items' sectors, none of them twice: a launch touches
 * every sector of 'next' once, and finds in the last-level cache what fits there from the
 * launch before.  All work-items are at adjacent sectors, and each load is as far from the one
 * before as they are wide, so that no load brings the data of a later one.
 */
__kernel void gmem_chase(__global int *result, __global const int *next, int n)
{
    int id = get_global_id(0);
    int value = 0;

    for (int k = 0; k < n / (8 * ITEMS); ++k)
        value = next[8 * (ITEMS * k + id) + value];
    GPUCAL_TAG(out, result[id]) = value;
}
