#define True 1 /* the values of GROUPS_FIT; False counts as 0 */
#if GROUPS_FIT
#define NELEMENTS
#else
#define NELEMENTS , int nelements
#endif

/* Stores only, stride 1, every element once; PER_ITEM as in gmem_load.cl. */
__kernel void gmem_store(__global T *result NELEMENTS)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
#if !GROUPS_FIT
        if (first + LSIZE_0 * j < nelements)
#endif
        GPUCAL_TAG(out, result[first + LSIZE_0 * j]) = (T)(first + j);
}
