/* Loads from places that are data: four elements of a table per work-item, without a loop. */
__kernel void gmem_gather(__global T *result, __global const int *place, __global const T *table)
{
    size_t i = get_global_id(0);
    int p = GPUCAL_TAG(gatherPlace, place[i]);

    GPUCAL_TAG(out, result[i]) =
        GPUCAL_TAG(gatherTable, table[p]) + GPUCAL_TAG(gatherTable, table[p + 7]) +
        GPUCAL_TAG(gatherTable, table[p ^ 5]) + GPUCAL_TAG(gatherTable, table[2 * p]);
}
