/* Local loads in which the 16 work-items of a row read one element together, as a matrix
 * product reads its left tile: 16 of them per iteration, added up, and one store.
 *
 * The store keeps the loads inside the loop: 'shift' is not known to the compiler, so it
 * may change the tile.  In fact it stores in the work-item's element after the tile.
 */
__kernel void lmem_broadcast(__global T *result, int shift, int m)
{
    __local T tile[2 * 256];
    int l = 16 * get_local_id(1) + get_local_id(0);
    T sum = (T)0;

    tile[l] = (T)((l * 2654435 + 69069) & 0xffffff);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int it = 0; it < m; ++it) {
        for (int k = 0; k < 16; ++k)
            sum = sum + tile[16 * get_local_id(1) + k];
        tile[l + shift] = sum;
    }
    GPUCAL_TAG(out, result[256 * get_group_id(0) + l]) = tile[l + shift];
}
