/* Four atomic operations per iteration on the work-item's element of global memory, one
 * of get_local_size(0) active elements that are PADDING apart.  All work-groups share them
 * or, with OWN, each has its own.
 *
 * The address depends on an id, not on a constant: compilers cannot find out which
 * work-items of a sub-group meet, and replace their operations by one on the sum.  The
 * device resolves all conflicts itself.  Values differ, too.  JOINED has no id in the address:
 * compilers join the operations of a sub-group, results used or not.
 *
 * RETURNED results are combined, and only their sign bit is stored, which no element has
 * set: it does not depend on the order of work-items.
 */
#undef max /* a macro in PoCL, which would be expanded before UPDATE_ is put before it */
#define UPDATE_add(p) atomic_add(p, value)
#define UPDATE_inc(p) atomic_inc(p)
#define UPDATE_max(p) atomic_max(p, value)
#define UPDATE_cmpxchg(p) atomic_cmpxchg(p, -1, value) /* never equal: none is exchanged */
#define UPDATE_OP(op) UPDATE_##op
#define UPDATE(op) UPDATE_OP(op)

#ifdef OWN
#define FIRST (LSIZE * get_group_id(0))
#else
#define FIRST 0
#endif

__kernel void atomic_global(__global int *counter,
#if RETURNED
                            __global int *result,
#endif
                            int m)
{
#ifdef JOINED
    __global int *place = &counter[FIRST];
#else
    __global int *place = &counter[FIRST + PADDING * get_local_id(0)];
#endif
    int value = 1 + get_local_id(0) + get_local_id(1);
    int joined = 0;

    for (int it = 0; it < m; ++it)
        for (int k = 0; k < 4; ++k)
#if RETURNED
            joined |= UPDATE(OP)(place);
    result[LSIZE * get_group_id(0) + get_local_size(0) * get_local_id(1) +
           get_local_id(0)] = joined < 0;
#else
            UPDATE(OP)(place);
#endif
}
