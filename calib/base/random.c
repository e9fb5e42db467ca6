/* random.c - a seeded stream of numbers */
#include "calib/base/random.h"

#include <string.h>

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. */
uint64_t gcal_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void gcal_random_shuffle(uint64_t *state, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(gcal_random_next(state) % i), kept = order[i - 1];

        order[i - 1] = order[j];
        order[j] = kept;
    }
}

void gcal_random_bytes(uint64_t seed, size_t size_bytes, void *data)
{
    unsigned char *at = data;

    for (size_t left = size_bytes; left;) {
        uint64_t bits = gcal_random_next(&seed);
        size_t size = left < sizeof(bits) ? left : sizeof(bits);

        memcpy(at, &bits, size);
        at += size;
        left -= size;
    }
}
