/* random.h - a seeded stream of numbers, the same on every machine (SplitMix64) */
#ifndef GCAL_CALIB_BASE_RANDOM_H
#define GCAL_CALIB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Starts as any seed; advanced by each call. */
uint64_t gcal_random_next(uint64_t *state);

/* A random permutation of 0..count-1 in 'order'. */
void gcal_random_shuffle(uint64_t *state, size_t *order, size_t count);

/* Fills 'data' with 'count' values of 'dtype' ("float32", "int32", ...), the same
 * for the same seed.  Floating point: random mantissa bits, magnitude in [0.5, 1),
 * positive, so that data-dependent power is drawn as with real data and no chain of
 * operations soon leaves the range.  Integers: 0 to 1023.  Returns 0, or -1 for a
 * dtype that gcal_dtype_size() does not know.
 */
int gcal_random_fill(uint64_t seed, const char *dtype, size_t count, void *data);

/* Fills 'data' with bytes of any bits, the same for the same seed. */
void gcal_random_bytes(uint64_t seed, size_t size_bytes, void *data);

/* Bytes of one element of a dtype as feature names spell it: int8 to int64, uint8 to
 * uint64, float16, float32, float64.  0 when unknown.
 */
size_t gcal_dtype_size(const char *dtype);

#endif
