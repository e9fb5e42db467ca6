/* A block of 2 LSIZE keys sorted in local memory by all steps of a bitonic sort. */
#define LSIZE 16
#define KEYS (2 * LSIZE)

inline void put_in_order(__local uint *low, __local uint *high, bool ascending)
{
    uint a = *low, b = *high;

    if ((a > b) == ascending) {
        *low = b;
        *high = a;
    }
}

__kernel __attribute__((reqd_work_group_size(LSIZE, 1, 1)))
void sort_block(__global uint *to, __global uint *from)
{
    __local uint key[KEYS];
    const uint l = get_local_id(0);

    from += get_group_id(0) * KEYS + l;
    to += get_group_id(0) * KEYS + l;
    key[l] = from[0];
    key[l + LSIZE] = from[LSIZE];

    for (uint run = 1; run < KEYS; run <<= 1)
        for (uint distance = run; distance > 0; distance >>= 1) {
            uint low = 2 * l - (l & (distance - 1));

            barrier(CLK_LOCAL_MEM_FENCE);
            put_in_order(&key[low], &key[low + distance],
                         run == LSIZE || (l & run) == 0);
        }

    barrier(CLK_LOCAL_MEM_FENCE);
    to[0] = key[l];
    to[LSIZE] = key[l + LSIZE];
}
