/* spread.c - reading, writing and finding spreads */
#include "kernels/model/roofs/spread.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/yaml.h"
#include "kernels/model/roofs/roofs.h"

#define KEY             "spread"
#define MICROBENCHMARKS "microbenchmarks"

/* A factor of 1000 either way: wider intervals are refused. */
#define MAX_WIDTH 6.9

void gcal_spreads_clear(struct gcal_spreads *spreads)
{
    for (size_t i = 0; i < spreads->n; i++)
        free(spreads->spreads[i].class);
    free(spreads->spreads);
    *spreads = (struct gcal_spreads){ 0 };
}

static int allocate(struct gcal_spreads *spreads, size_t n, struct gcal_error *err)
{
    *spreads =
        (struct gcal_spreads){ .spreads = calloc(n + 1, sizeof(*spreads->spreads)) };
    return spreads->spreads ? 0 : gcal_error_memory(err);
}

static int add(struct gcal_spreads *spreads, const struct gcal_spread *from,
               struct gcal_error *err)
{
    struct gcal_spread *spread = &spreads->spreads[spreads->n++];

    *spread = *from;
    spread->class = strdup(from->class);
    return spread->class ? 0 : gcal_error_memory(err);
}

int gcal_spreads_copy(struct gcal_spreads *to, const struct gcal_spreads *from,
                      struct gcal_error *err)
{
    if (allocate(to, from->n, err) < 0)
        return -1;
    to->microbenchmarks = from->microbenchmarks;
    for (size_t i = 0; i < from->n; i++)
        if (add(to, &from->spreads[i], err) < 0)
            return -1;
    return 0;
}

const struct gcal_spread *gcal_spreads_find(const struct gcal_spreads *spreads,
                                            const char *class)
{
    const struct gcal_spread *other = NULL;

    for (size_t i = 0; i < spreads->n; i++) {
        if (strcmp(spreads->spreads[i].class, class) == 0)
            return &spreads->spreads[i];
        if (strcmp(spreads->spreads[i].class, GCAL_SPREAD_OTHER) == 0)
            other = &spreads->spreads[i];
    }
    return other;
}

void gcal_spreads_write(struct gcal_yaml_writer *w, const struct gcal_spreads *spreads)
{
    if (!spreads->n)
        return;
    gcal_yaml_write_text(w, KEY);
    gcal_yaml_write_map(w);
    for (size_t i = 0; i < spreads->n; i++) {
        gcal_yaml_write_text(w, spreads->spreads[i].class);
        gcal_yaml_write_flow_list(w);
        gcal_yaml_write_number(w, spreads->spreads[i].below);
        gcal_yaml_write_number(w, spreads->spreads[i].above);
        gcal_yaml_write_end_list(w);
    }
    if (spreads->microbenchmarks > 0)
        gcal_yaml_put_number(w, MICROBENCHMARKS, spreads->microbenchmarks);
    gcal_yaml_write_end_map(w);
}

/* ---- reading ---- */

static int read_width(const struct gcal_yaml *node, double *width, struct gcal_error *err)
{
    if (gcal_yaml_double(node, "a half-width", width, err) < 0)
        return -1;
    if (*width > 0 && *width <= MAX_WIDTH)
        return 0;
    return gcal_yaml_error(node, err,
                           KEY
                           ": a half-width, |log(measured / predicted)|, must be above "
                           "0 and at most %g",
                           MAX_WIDTH);
}

static int read_pair(const struct gcal_yaml *node, struct gcal_spread *spread,
                     struct gcal_error *err)
{
    if (node->kind == GCAL_YAML_SCALAR) {
        if (read_width(node, &spread->below, err) < 0)
            return -1;
        spread->above = spread->below;
        return 0;
    }
    if (node->kind != GCAL_YAML_LIST || node->n_items != 2)
        return gcal_yaml_error(node, err,
                               KEY ": expected a half-width or [below, above]");
    return read_width(node->items[0], &spread->below, err) < 0
               ? -1
               : read_width(node->items[1], &spread->above, err);
}

/* Roofs and GCAL_SPREAD_... are classes. */
static int check_class(const struct gcal_yaml *node, const struct gcal_roofs *roofs,
                       struct gcal_error *err)
{
    const char *known[GCAL_ROOFS_MAX + 5] = { GCAL_SPREAD_SMALL, GCAL_SPREAD_ESTIMATED,
                                              GCAL_SPREAD_OTHER, MICROBENCHMARKS };
    const char *near;

    for (size_t i = 0; i < roofs->n; i++)
        known[4 + i] = roofs->roofs[i].name;
    near = gcal_similar(node->text, known);
    return near && strcmp(near, node->text) == 0
               ? 0
               : gcal_yaml_error(node, err,
                                 KEY
                                 ": '%.60s' is neither a roof of the model nor one of "
                                 "small, estimated, other, microbenchmarks%s",
                                 node->text, gcal_similar_hint(node->text, known).text);
}

static int read_class(const struct gcal_yaml *key, const struct gcal_yaml *value,
                      struct gcal_spreads *spreads, struct gcal_error *err)
{
    struct gcal_spread spread = { .class = key->text };

    if (strcmp(key->text, MICROBENCHMARKS) == 0)
        return read_width(value, &spreads->microbenchmarks, err);
    if (read_pair(value, &spread, err) < 0)
        return -1;
    return add(spreads, &spread, err);
}

int gcal_spreads_read(const struct gcal_yaml *map, const struct gcal_roofs *roofs,
                      struct gcal_spreads *spreads, struct gcal_error *err)
{
    const struct gcal_yaml *node = gcal_yaml_find(map, KEY);

    *spreads = (struct gcal_spreads){ 0 };
    if (!node)
        return 0;
    if (node->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(node, err, KEY ": expected a map of class: half-width");
    if (allocate(spreads, node->n_items, err) < 0)
        return -1;
    for (size_t i = 0; i < node->n_items; i++)
        if (check_class(node->keys[i], roofs, err) < 0 ||
            read_class(node->keys[i], node->items[i], spreads, err) < 0)
            return -1;
    return 0;
}
