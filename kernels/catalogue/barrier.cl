/* Two barriers per iteration, and between them a store and a load of the memory that they
 * order: every work-item reads its neighbour's value, so no barrier can be removed.
 * Barriers with nothing between them would cost nothing where a CPU runs a work-group as
 * a loop.
 */
#define IS_GLOBAL_local 0
#define IS_GLOBAL_global 1
#define IS_GLOBAL_OF(fence) IS_GLOBAL_##fence
#define IS_GLOBAL(fence) IS_GLOBAL_OF(fence)

#if IS_GLOBAL(FENCE)
#define FLAG CLK_GLOBAL_MEM_FENCE
#else
#define FLAG CLK_LOCAL_MEM_FENCE
#endif

__kernel void barriers(__global T *result,
#if IS_GLOBAL(FENCE)
                       __global T *rows,
#endif
                       int m)
{
#if IS_GLOBAL(FENCE)
    __global T *row = &rows[(LSIZE_0 + 1) * get_group_id(0)];
#else
    __local T row[LSIZE_0 + 1];
#endif
    int l = get_local_id(0);
    T value = (T)((l * 2654435 + 69069) & 0xffffff);

    row[l + 1] = value;
    barrier(FLAG);
    for (int it = 0; it < m; ++it) {
        row[l] = value;
        barrier(FLAG);
        value = row[l + 1];
        barrier(FLAG);
    }
    GPUCAL_TAG(out, result[get_global_id(0)]) = value;
}
