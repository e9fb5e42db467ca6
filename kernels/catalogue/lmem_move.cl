/* Local loads and stores, stride 1: each work-item moves four elements of its own column
 * of 'slots' to other places in it, so there is no race and no barrier.
 *
 * 'shift' must stay an argument.  Were it known, a compiler could see that the same
 * elements are moved in every iteration and move them once; as it is, every store may
 * have changed what the next load reads.
 */
__kernel void lmem_move(__global T *result, int shift, int m)
{
    __local T slots[8 * 256];
    int l = get_local_id(0);

    for (int j = 0; j < 8; ++j)
        slots[l + 256 * j] = (T)((l * 2654435 + j * 1013904 + 69069) & 0xffffff);
    for (int it = 0; it < m; ++it)
        for (int j = 0; j < 4; ++j)
            slots[l + shift + 256 * j] = slots[l + 256 * j];
    GPUCAL_TAG(out, result[get_global_id(0)]) = slots[l + shift + 512];
}
