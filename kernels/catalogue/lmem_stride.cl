/* Eight local accesses per iteration in the measured direction, loads or stores, and one
 * of stride 1 in the other direction, to the work-item's own element.
 *
 * 'away' is 1 at run time, so that the eight have one address.  The compiler does not know
 * that, nor whether they access the work-item's own element: it cannot remove any of them,
 * nor move it out of the loop.
 *
 * Addresses are at a stride between adjacent work-items or, with BANKS, in that many banks
 * of N_BANKS.  A row of 64 work-items is as wide as the widest sub-groups; rows follow each
 * other or, where the stride leaves gaps, interleave.
 */
#define load 0
#define store 1

#ifdef BANKS
#define ROW (64 * N_BANKS)
#define SLOTS (LSIZE_1 * ROW)
#define IN_ROW(l) ((l) / BANKS * N_BANKS + (l) % BANKS)
#else
#define IN_ROW(l) (STRIDE * (l))
#if STRIDE < LSIZE_1
#define ROW (64 * STRIDE)
#define SLOTS (LSIZE_1 * ROW)
#else
#define ROW 1
#define SLOTS (64 * STRIDE)
#endif
#endif

#define ALL_8(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)
#define LOAD(k)   value = value + slots[place + k * (away - 1)];
#define STORE(k)  slots[place + k * (away - 1)] = value;

__kernel void lmem_stride(__global T *result, int away, int m)
{
    __local T slots[SLOTS + 64 * LSIZE_1];
    int l = 64 * get_local_id(1) + get_local_id(0);
    int place = ROW * get_local_id(1) + IN_ROW(get_local_id(0));
    T value = (T)((l * 7919 + 69069) & 0xfff);

    slots[place] = value;
    slots[SLOTS + l] = value;
    for (int it = 0; it < m; ++it) {
#if ACCESS == load
        ALL_8(LOAD)
        slots[SLOTS + l] = value;
#else
        ALL_8(STORE)
        value = value + slots[SLOTS + l];
#endif
    }
    GPUCAL_TAG(out, result[64 * LSIZE_1 * get_group_id(0) + l]) =
        slots[place] + slots[SLOTS + l];
}
