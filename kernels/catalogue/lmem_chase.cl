/* Loads of local memory of which each waits for the one before: its address has the loaded
 * value as a term.  The values are 0, but no compiler knows that.
 */
__kernel void lmem_chase(__global int *result, __global const int *zero, int m)
{
    __local int next[1024];
    int l = get_local_id(0);
    int value = 0;

    for (int j = l; j < 1024; j += LSIZE_0)
        next[j] = *zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < m; ++k)
        value = next[(LSIZE_0 * k + l) % 1024 + value];
    GPUCAL_TAG(out, result[get_global_id(0)]) = value;
}
