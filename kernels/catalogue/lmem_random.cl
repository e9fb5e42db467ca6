/* An access to local memory in each iteration, at a random place of a table: in how many
 * passes over the banks lanes are served that do not know of each other.  'own': at the
 * work-item's own place instead, without a conflict.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b)  PASTE(a, b)

#define DO_load(i)   sum = sum + table[i];
#define DO_store(i)  table[i] = next;
#define DO_atomic(i) atomic_add(&table[i], next);

#define AT_random (next >> 12) & (WORDS - 1)
#define AT_own    (get_local_id(0) + 32 * k) & (WORDS - 1)

__kernel void lmem_random(__global const uint *start, __global uint *result, int m)
{
    __local uint table[WORDS];
    uint next = start[get_global_id(0)], sum = 0;

    for (int i = get_local_id(0); i < WORDS; i += 256)
        table[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < m; ++k) {
        next = next * 1664525u + 1013904223u;
        JOIN(DO_, ACCESS)(JOIN(AT_, PLACE))
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    GPUCAL_TAG(out, result[get_global_id(0)]) = (sum + next) | (table[0] & 0);
}
