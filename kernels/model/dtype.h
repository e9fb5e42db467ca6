/* dtype.h - data types of array elements: int8 to int64, uint8 to uint64, float16,
 * float32, float64
 */
#ifndef GCAL_KERNELS_MODEL_DTYPE_H
#define GCAL_KERNELS_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of one element; 0 for an unknown type. */
size_t gcal_dtype_size(const char *dtype);
/* All types, from 0 on; NULL after the last. */
const char *gcal_dtype_name(size_t i);

/* Fills 'data' with 'count' values, the same for the same seed.  Floating point: random
 * mantissas in [0.5, 1), so that data-dependent power is as with real data and chains of
 * operations stay in range.  Integers: 0 to 1023, of 8 bits 0 to 127.  Returns 0, or -1
 * for an unknown type.
 */
int gcal_dtype_fill(uint64_t seed, const char *dtype, size_t count, void *data);
/* The least and the largest of these numbers, as text. */
const char *gcal_dtype_fill_first(const char *dtype);
const char *gcal_dtype_fill_last(const char *dtype);

/* An interval of values, both ends included; first NaN: none given.  Sorted values rise
 * evenly from the first element to the last, as the beginnings of a sparse matrix's rows.
 */
struct gcal_dtype_range {
    double first, last;
    bool sorted;
    const char *members; /* of structures, "int32 pad*4 float32*2"; NULL: of none */
};

#define GCAL_DTYPE_MOST_BYTES ((size_t)1 << 16) /* of a structure */
#define GCAL_DTYPE_NAME_SIZE  8

/* Passes the first of such members, "float32*4 ", with how many it is, and gives the bytes of one;
 * 0: it is malformed.
 */
size_t gcal_dtype_read_member(const char **at, char dtype[GCAL_DTYPE_NAME_SIZE],
                              size_t *count);

/* Bytes of a structure with such members; 0: the text is malformed, or it is too large. */
size_t gcal_dtype_members_size(const char *members);

/* Returns whether integers or floating-point numbers of 'dtype' represent both ends, in order. */
bool gcal_dtype_has_range(const char *dtype, const struct gcal_dtype_range *range);
/* gcal_dtype_fill() with values that are uniform in 'range', if one is given; 'count' is
 * that of the whole array, if they are sorted.  Members of structures are filled by their own
 * types, in the range if theirs has it; padding is 0.
 */
int gcal_dtype_fill_range(uint64_t seed, const char *dtype,
                          const struct gcal_dtype_range *range, size_t count, void *data);
/* Element i of such an array of a known type in a range alone. */
void gcal_dtype_fill_element(uint64_t seed, const char *dtype,
                             const struct gcal_dtype_range *range, size_t count, size_t i,
                             void *to);

#endif
