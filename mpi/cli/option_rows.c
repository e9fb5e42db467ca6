/* option_rows.c - the options of a command as one table */
#include "mpi/cli/option_rows.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_row(const struct argp_option *option)
{
    return option && (option->name || option->key || option->doc);
}

static size_t count_rows(const struct argp *argp)
{
    const struct argp_option *option = argp->options;
    size_t n = 0;

    while (is_row(option))
        n++, option++;
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        n += count_rows(child->argp);
    return n;
}

static void add_rows(const struct argp *argp, const char *header,
                     struct gcal_option_row *rows, size_t *n)
{
    const struct argp_option *option = argp->options;

    for (; is_row(option); option++)
        if (!(option->flags & OPTION_HIDDEN))
            rows[(*n)++] = (struct gcal_option_row){ option, header };
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        add_rows(child->argp, child->header ? child->header : header, rows, n);
}

struct gcal_option_row *gcal_option_rows(const struct argp *argp, size_t *n)
{
    struct gcal_option_row *rows = calloc(count_rows(argp) + 1, sizeof(*rows));

    *n = 0;
    if (rows)
        add_rows(argp, "", rows, n);
    return rows;
}
