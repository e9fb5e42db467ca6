/* Rows of 32 work-items, each of which loads a word: how many segments of memory a row
 * touches, and how much of them it uses, depends on the pattern (Wang 2013).
 *
 *   aligned     32 words one behind the other from a segment's begin
 *   permuted    the same words in another order
 *   offset      one behind the other, but from OFFSET words behind a segment's begin
 *   uniform     all the same word; each row has a segment of its own
 *   scattered   each word in a segment of its own
 *
 * A row loads PER_ITEM times, each time from another place, and nothing is loaded by two
 * rows but the ends of neighbours with an offset.
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
