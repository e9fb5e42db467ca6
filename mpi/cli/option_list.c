/* option_list.c - values of options that may be repeated, and numbers */
#include "mpi/cli/option_list.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"

_Noreturn void gcal_option_out_of_memory(const struct argp_state *state)
{
    argp_failure(state, GCAL_EINPUT, 0, "out of memory");
    exit(GCAL_EINPUT); /* with ARGP_NO_EXIT, argp_failure() returns */
}

void gcal_option_list_add(struct gcal_option_list *option_list, const char *text,
                          struct argp_state *state)
{
    const char **items = gcal_array_grow(option_list->items, option_list->n,
                                         &option_list->capacity, sizeof(*items), NULL);

    if (!items)
        gcal_option_out_of_memory(state);
    option_list->items = items;
    option_list->items[option_list->n++] = text;
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
