/* option_list.c - values of options that may be repeated, and numbers */
#include "mpi/cli/option_list.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"

static struct gcal_arena *arena;

static void release(void)
{
    gcal_arena_destroy(arena);
}

struct gcal_arena *gcal_option_arena(void)
{
    if (!arena) {
        arena = gcal_arena_create();
        atexit(release);
    }
    return arena;
}

void gcal_option_list_add(struct gcal_option_list *list, const char *text)
{
    list->items = gcal_arena_grow(gcal_option_arena(), list->items, list->n,
                                  &list->capacity, sizeof(*list->items));
    list->items[list->n++] = text;
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

size_t gcal_option_count(const char *text, const char *what, long most,
                         struct argp_state *state)
{
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end || number < 1 || number > most)
        argp_error(state, "%s: expected a number from 1 to %ld, found '%s'", what, most,
                   text);
    return (size_t)number;
}
