/* Short work-groups, as those of stencils are: one global load, one barrier, M local
 * loads that are added up, one global store.  A work-item reads its own element and those
 * of the M - 1 work-items after it, cyclically: therefore the tile is stored twice.
 */
__kernel void mix_once(__global T *result, __global const T *in0)
{
    __local T tile[2 * LSIZE_0];
    int l = get_local_id(0);
    T own = GPUCAL_TAG(mixOnce, in0[get_global_id(0)]);
    T sum = (T)0;

    tile[l] = own;
    tile[l + LSIZE_0] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < M; ++j)
        sum = sum + tile[l + j];
    GPUCAL_TAG(out, result[get_global_id(0)]) = sum;
}
