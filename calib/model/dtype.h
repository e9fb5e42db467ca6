/* dtype.h - data types of array elements: int8 to int64, uint8 to uint64, float16,
 * float32, float64
 */
#ifndef GCAL_CALIB_MODEL_DTYPE_H
#define GCAL_CALIB_MODEL_DTYPE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of one element; 0 for an unknown type. */
size_t gcal_dtype_size(const char *dtype);

/* Fills 'data' with 'count' values, the same for the same seed.  Floating point: random
 * mantissas in [0.5, 1), so that data-dependent power is as with real data and chains of
 * operations stay in range.  Integers: 0 to 1023, of 8 bits 0 to 127.  Returns 0, or -1
 * for an unknown type.
 */
int gcal_dtype_fill(uint64_t seed, const char *dtype, size_t count, void *data);

#endif
