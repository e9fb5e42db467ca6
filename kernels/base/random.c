/* random.c - a seeded stream of numbers */
#include "kernels/base/random.h"

#include <string.h>

#include "kernels/base/threads.h"

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

/* A thread's share of random bytes, a multiple of 8. */
#define PIECE_BYTES ((size_t)8 << 20)

struct bytes {
    uint64_t seed;
    size_t size;
    unsigned char *data;
};

static int fill_piece(void *context, size_t i, struct gcal_error *err)
{
    const struct bytes *o = context;
    size_t at = i * PIECE_BYTES,
           end = o->size - at < PIECE_BYTES ? o->size : at + PIECE_BYTES;
    uint64_t state = gcal_random_skip(o->seed, at / sizeof(state));

    (void)err;
    while (at < end) {
        uint64_t bits = gcal_random_next(&state);
        size_t size = end - at < sizeof(bits) ? end - at : sizeof(bits);

        memcpy(o->data + at, &bits, size);
        at += size;
    }
    return 0;
}

void gcal_random_bytes(uint64_t seed, size_t size_bytes, void *data)
{
    struct bytes o = { .seed = seed, .size = size_bytes, .data = data };

    gcal_threads_share((size_bytes + PIECE_BYTES - 1) / PIECE_BYTES, fill_piece, &o,
                       NULL);
}
