/* Two barriers per iteration, and between them one local store and one local load: every
 * work-item takes its neighbour's value, so no barrier can be left out.  Barriers with
 * nothing between them would cost nothing where a CPU runs a work-group as a loop.
 */
__kernel void barriers(__global T *result, int m)
{
    __local T row[256 + 1];
    int l = get_local_id(0);
    T value = (T)((l * 2654435 + 69069) & 0xffffff);

    row[l + 1] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int it = 0; it < m; ++it) {
        row[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = row[l + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    result[get_global_id(0)] = value;
}
