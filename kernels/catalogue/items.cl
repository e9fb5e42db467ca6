/* ITEMS vectors of BITS through the registers of each work-item, 256 at a time: all are
 * read, then all are written (Saremi 2018, sections 6.1 and 6.2).  Direct: a work-item's
 * vectors lie side by side.  Striped: those of neighbours do.
 *
 * 'in' and 'out' may be the same as far as a compiler knows, so that no load can wait
 * until something is stored: all ITEMS vectors are in registers at once, or spilled.
 */
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define V_32 uint
#define V_64 uint2
#define V_128 uint4
#define V JOIN(V_, BITS)

#define direct(j) (ITEMS * get_local_id(0) + (j))
#define striped(j) (256 * (j) + get_local_id(0))

__kernel void items(__global V *out, __global V *in)
{
    size_t block = 256 * ITEMS * get_group_id(0);
    V v[ITEMS];

#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
        v[j] = GPUCAL_TAG(read, in[block + READ(j)]);
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
        GPUCAL_TAG(write, out[block + WRITE(j)]) = v[j];
}
