/* Four atomic operations per iteration on the work-item's element of local memory, one of
 * get_local_size(0) adjacent active elements.  Addresses, values and RETURNED as in
 * atomic_global.cl.
 */
#undef max /* a macro in PoCL, which would be expanded before UPDATE_ is put before it */
#define UPDATE_add(p) atomic_add(p, value)
#define UPDATE_inc(p) atomic_inc(p)
#define UPDATE_max(p) atomic_max(p, value)
#define UPDATE_cmpxchg(p) atomic_cmpxchg(p, -1, value) /* never equal: none is exchanged */
#define UPDATE_OP(op) UPDATE_##op
#define UPDATE(op) UPDATE_OP(op)

__kernel void atomic_local(__global int *result, int m)
{
    __local int counter[LSIZE];
    int l = get_local_size(0) * get_local_id(1) + get_local_id(0);
    int value = 1 + get_local_id(0) + get_local_id(1);
    int joined = 0;

    counter[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int it = 0; it < m; ++it)
        for (int k = 0; k < 4; ++k)
#if RETURNED
            joined |= UPDATE(OP)(&counter[get_local_id(0)]);
#else
            UPDATE(OP)(&counter[get_local_id(0)]);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    result[LSIZE * get_group_id(0) + l] = counter[l] + (joined < 0);
}
