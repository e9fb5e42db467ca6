/* Preparation of versions V2 to V4 of the min-plus product: d copied to r with rows and
 * columns padded to nn, the next multiple of 64, by a large number, and t, its transpose
 * (Programming Parallel Computers, chapter 4).  A work-group walks along a row.
 */
__kernel void min_plus_pad(__global const T *r, __global T *d, __global T *t, int n)
{
    int nn = (n + 63) / 64 * 64;
    int i = get_group_id(1);

    for (int j = get_local_id(0); j < nn; j += 64) {
        T value = i < n && j < n ? GPUCAL_TAG(rPad, r[n * i + j]) : (T)HUGE_VALF;

        GPUCAL_TAG(dPad, d[nn * i + j]) = value;
        GPUCAL_TAG(tPad, t[nn * j + i]) = value;
    }
}
