/* random.h - a seeded stream of numbers, the same on every machine (SplitMix64) */
#ifndef GCAL_CALIB_BASE_RANDOM_H
#define GCAL_CALIB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* '*state' starts as any seed; each call advances it. */
uint64_t gcal_random_next(uint64_t *state);

/* A random permutation of 0..count-1 in 'order'. */
void gcal_random_shuffle(uint64_t *state, size_t *order, size_t count);

/* Fills 'data' with random bytes, the same for the same seed. */
void gcal_random_bytes(uint64_t seed, size_t size_bytes, void *data);

#endif
