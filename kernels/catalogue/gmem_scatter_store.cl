/* Stores at a stride between neighbours: from a stride of two on, a sub-group's store writes a part
 * of each sector.  The elements between are not written by any work-item.
 */
__kernel void gmem_scatter_store(__global T *result)
{
    size_t first = LSIZE_0 * PER_ITEM * get_group_id(0) + get_local_id(0);

    for (int j = 0; j < PER_ITEM; ++j)
        GPUCAL_TAG(scatter, result[STRIDE * (first + LSIZE_0 * j)]) = (T)((int)first + j);
}
