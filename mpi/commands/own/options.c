/* options.c - options for what counting does not say about a kernel's arguments */
#include <stdlib.h>
#include <string.h>

#include "mpi/commands/own/own.h"

enum { SET = 256 };

static const struct argp_option options[] = {
    { "set", SET, "NAME=VALUE", 0,
      "The value of a scalar argument or of a member of a structure (part_first), in "
      "sizes (default: 1, of floating point 0.5), or the words of a sampler (default: "
      "nearest); may be repeated",
      3 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_own_options *o = state->input;
    const char *equals = arg ? strchr(arg, '=') : NULL;

    if (key != SET)
        return ARGP_ERR_UNKNOWN;
    if (!equals || equals == arg || !equals[1])
        argp_error(state, "--set: expected NAME=VALUE, found '%s'", arg);
    gcal_option_list_add(&o->set, arg);
    return 0;
}

const struct argp gcal_own_options_argp = { .options = options, .parser = parse };

const char *gcal_own_option(const struct gcal_option_list *list, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = list->n; i-- > 0;)
        if (strncmp(list->items[i], name, length) == 0 && list->items[i][length] == '=')
            return list->items[i] + length + 1;
    return NULL;
}
