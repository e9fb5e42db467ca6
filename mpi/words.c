#include "mpi/words.h"

#include "calib/base/buf.h"
#include "calib/base/error.h"

void gcal_words_add(struct gcal_words *words, const char *text, struct argp_state *state)
{
    const char **items =
        gcal_array_grow(words->items, words->n, &words->capacity, sizeof(*items), NULL);

    if (!items)
        argp_failure(state, GCAL_EINPUT, 0, "out of memory");
    words->items = items;
    words->items[words->n++] = text;
}
