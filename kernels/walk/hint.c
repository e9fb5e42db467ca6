/* hint.c - how often the source asks compilers to unroll a loop */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/private.h"

/* The number after "unroll", "unroll_count" or "opencl_unroll_hint"; all trips without one,
 * or where a macro gives it.
 */
static int64_t read_number(const char *at, const char *end)
{
    const char *digits = at;
    char *rest;
    long number;

    while (digits < end && strchr(" \t(_acehilnotu", *digits))
        digits++;
    number = strtol(digits, &rest, 10);
    return digits < end && rest > digits && number > 0 ? number : GCAL_WALK_UNROLL_ALL;
}

int64_t gcal_walk_unroll_hint(const struct gcal_walk *w, CXCursor around, CXCursor loop)
{
    const char *text = w->unit->source + gcal_source_start(w->unit, around);
    const char *end = w->unit->source + gcal_source_start(w->unit, loop);
    const char *at;
    bool never, full;

    if (text >= end || !(at = strstr(text, "unroll")) || at >= end)
        return 0;
    never = (at - text >= 2 && strncmp(at - 2, "nounroll", 8) == 0) ||
            strncmp(at, "unroll(disable", 14) == 0;
    full = strncmp(at, "unroll(full", 11) == 0;
    if (never || strncmp(at, "unroll(enable", 13) == 0)
        return never ? 1 : 0;
    return full ? GCAL_WALK_UNROLL_ALL : read_number(at + strlen("unroll"), end);
}
