/* Rows of 32 work-items, each of which loads a word: how many segments of memory a row
 * touches, and how much of them it uses, depends on the pattern (Wang 2013).
 *
 *   aligned     32 adjacent words from the start of a segment
 *   permuted    the same words in another order
 *   offset      32 adjacent words from OFFSET words after the start of a segment
 *   uniform     all the same word; each row has another segment
 *   scattered   each word in another segment
 *
 * A row loads PER_ITEM times, each time from another address.  No segment is loaded
 * by two rows, except at the ends of adjacent rows with an offset.
 */
#define aligned(row, lane) (32 * (row) + (lane))
#define permuted(row, lane) (32 * (row) + (5 * (lane) + 3) % 32)
#define offset(row, lane) (32 * (row) + (lane) + OFFSET)
#define uniform(row, lane) (SEGMENT * (row))
#define scattered(row, lane) (SEGMENT * (32 * (row) + (lane)))

__kernel void gmem_transaction(__global T *result, __global const T *in)
{
    size_t lane = get_local_id(0);
    size_t row = PER_ITEM * 8 * get_group_id(0) + get_local_id(1);
    T sum = (T)0;

    for (int j = 0; j < PER_ITEM; ++j)
        sum = sum + GPUCAL_TAG(transaction, in[PATTERN(row + 8 * j, lane)]);
    GPUCAL_TAG(out, result[256 * get_group_id(0) + 32 * get_local_id(1) + lane]) = sum;
}
