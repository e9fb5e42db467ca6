/* Four atomic operations per iteration on the work-item's place in global memory, one of
 * get_local_size(0) active ones that are PADDING elements apart.  Work-groups share them
 * or, given OWN, have each their own.
 *
 * A place comes from an id and not from a constant: no compiler can see which work-items
 * of a sub-group meet, and send their sum once instead of all they ask for.  What is left
 * is the device's own way with conflicts.  Values differ, too.
 *
 * Where results are RETURNED, they are joined and one bit of that is stored, the sign,
 * which is that of no element and so does not depend on who came first.
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
    __global int *place = &counter[FIRST + PADDING * get_local_id(0)];
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
