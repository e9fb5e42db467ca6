#include "mpi/cli/words.h"

#include <stdlib.h>
#include <string.h>

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

double gcal_option_positive(const char *text, const char *unit, const char *what,
                            struct argp_state *state)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || (*end && strcmp(end, unit) != 0) || !(value > 0))
        argp_error(state, "%s: expected a positive number%s%s, found '%s'", what,
                   *unit ? " in " : "", unit, text);
    return value;
}
