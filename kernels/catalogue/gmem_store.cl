/* Stores only, stride 1, every element once; PER_ITEM as in gmem_load.cl. */
__kernel void gmem_store(__global T *result)
{
    int first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
        GPUCAL_TAG(out, result[first + LSIZE_0 * j]) = (T)(first + j);
}
