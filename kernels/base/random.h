/* random.h - a seeded stream of numbers, the same on every machine (SplitMix64) */
#ifndef GCAL_KERNELS_BASE_RANDOM_H
#define GCAL_KERNELS_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define GCAL_RANDOM_STEP 0x9e3779b97f4a7c15u

/* '*state' starts as any seed; each call advances it.
 * Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
 */
static inline uint64_t gcal_random_next(uint64_t *state)
{
    uint64_t z = *state += GCAL_RANDOM_STEP;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number in [0, 1). */
static inline double gcal_random_share(uint64_t *state)
{
    return (double)(gcal_random_next(state) >> 11) * 0x1p-53;
}

/* The state after n calls. */
static inline uint64_t gcal_random_skip(uint64_t state, uint64_t n)
{
    return state + n * GCAL_RANDOM_STEP;
}

/* A random permutation of 0..count-1 in 'order'. */
void gcal_random_shuffle(uint64_t *state, size_t *order, size_t count);

/* Fills 'data' with random bytes, the same for the same seed; much of it by several threads. */
void gcal_random_bytes(uint64_t seed, size_t size_bytes, void *data);

#endif
