/* options.c - options for what counting does not say about a kernel's arguments */
#include <stdlib.h>
#include <string.h>

#include "mpi/commands/own/own.h"

enum { SET = 256, BUFFER, RANGE };

static const struct argp_option options[] = {
    { "set", SET, "NAME=VALUE", 0,
      "The value of a scalar argument or of a member of a structure (part_first), in "
      "sizes "
      "(default: 1, of floating point 0.5), or the words of a sampler (default: "
      "nearest); "
      "may be repeated",
      3 },
    { "buffer", BUFFER, "NAME=COUNT", 0,
      "The number of items of a buffer, or the WIDTH,HEIGHT,DEPTH of an image, in sizes "
      "(default: from the counts); may be repeated",
      3 },
    { "range", RANGE, "NAME=FIRST:LAST[:sorted]", 0,
      "The range of a buffer's values, in sizes, random or rising evenly (default: "
      "integers "
      "0 to 1023, floating point 0.5 to 1); may be repeated",
      3 },
    { 0 },
};

static void add(struct gcal_option_list *list, char *arg, const char *what,
                struct argp_state *state)
{
    const char *equals = strchr(arg, '=');

    if (!equals || equals == arg || !equals[1])
        argp_error(state, "--%s: expected NAME=%s, found '%s'", what,
                   strcmp(what, "range") == 0 ? "FIRST:LAST" : "VALUE", arg);
    gcal_option_list_add(list, arg, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_own_options *o = state->input;

    switch (key) {
    case SET:
        add(&o->set, arg, "set", state);
        break;
    case BUFFER:
        add(&o->buffer, arg, "buffer", state);
        break;
    case RANGE:
        add(&o->range, arg, "range", state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gcal_own_options_argp = { .options = options, .parser = parse };

void gcal_own_options_clear(struct gcal_own_options *o)
{
    free(o->set.items);
    free(o->buffer.items);
    free(o->range.items);
}

bool gcal_own_options_given(const struct gcal_own_options *o)
{
    return o->set.n || o->buffer.n || o->range.n;
}

const char *gcal_own_option(const struct gcal_option_list *list, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = list->n; i-- > 0;)
        if (strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')
            return list->items[i] + length + 1;
    return NULL;
}
