/* product.c - the Cartesian product of the values of a generator's arguments
 *
 * Each argument is a wheel with the values of its tag or its defaults.  The wheels turn
 * like a counter, the last one fastest.  Settings that break a condition of 'where' or
 * keep loads that do not exist are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/generate/private.h"

struct gcal_generator_wheel {
    size_t n, at;
    const char **values; /* borrowed from the tags or the argument */
};

static int fill_wheel(const struct gcal_generator_arg *a,
                      const struct gcal_catalogue_tags *tags,
                      const struct gcal_catalogue_variant_tag *tag,
                      struct gcal_generator_wheel *wheel, struct gcal_error *err)
{
    bool first = !tags && !a->defaults.n; /* only tags give it values: for the check */
    size_t n = tag ? tag->n_values : first ? 1 : a->defaults.n;

    if (!(wheel->values = calloc(n + 1, sizeof(*wheel->values))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        const char *value = tag     ? tag->values[i]
                            : first ? a->listed.items[0]
                                    : a->defaults.items[i];

        if (gcal_generator_arg_allows(a, value))
            wheel->values[wheel->n++] = value;
    }
    return 0;
}

int gcal_generator_product_open(const struct gcal_generator *g,
                                const struct gcal_catalogue_tags *tags,
                                const struct gcal_kernel_limits *limits,
                                struct gcal_generator_product *p, struct gcal_error *err)
{
    *p = (struct gcal_generator_product){ .limits = limits,
                                          .n_wheels = g->n_arguments,
                                          .footprint = g->n_arguments };
    p->wheels = calloc(g->n_arguments, sizeof(*p->wheels));
    p->setting = (struct gcal_generator_setting){
        .generator = g,
        .values = calloc(g->n_arguments, sizeof(*p->setting.values)),
    };
    if (!p->wheels || !p->setting.values) {
        gcal_generator_product_close(p);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];
        const struct gcal_catalogue_variant_tag *tag =
            tags ? gcal_catalogue_tags_find(tags, a->name) : NULL;

        if (fill_wheel(a, tags, tag, &p->wheels[i], err) < 0) {
            gcal_generator_product_close(p);
            return -1;
        }
        /* without any value: only other generators allow those of the tag */
        p->ended = p->ended || !p->wheels[i].n;
        if (a->footprint && !tag)
            p->footprint = i;
        p->setting.sweep = p->setting.sweep || (a->sweep && !tag);
    }
    return 0;
}

void gcal_generator_product_close(struct gcal_generator_product *p)
{
    for (size_t i = 0; p->wheels && i < p->n_wheels; i++)
        free(p->wheels[i].values);
    free(p->wheels);
    free(p->setting.values);
    gcal_buf_free(&p->broken);
    memset(p, 0, sizeof(*p));
}

static bool advance(struct gcal_generator_product *p)
{
    for (size_t i = p->n_wheels; i-- > 0;) {
        if (++p->wheels[i].at < p->wheels[i].n)
            return true;
        p->wheels[i].at = 0;
    }
    return false;
}

/* To the first setting or the next one; false after the last. */
static bool turn(struct gcal_generator_product *p)
{
    if (p->started && !p->ended)
        p->ended = !advance(p);
    p->started = true;
    for (size_t i = 0; i < p->n_wheels && !p->ended; i++)
        p->setting.values[i] = p->wheels[i].values[p->wheels[i].at];
    return !p->ended;
}

/* Sets the size with a footprint: 1, 0 when no size fits, or -1. */
static int scale(struct gcal_generator_product *p, struct gcal_error *err)
{
    long long size;

    if (p->footprint == p->n_wheels)
        return 1;
    if (gcal_generator_footprint_size(&p->setting, p->footprint,
                                      p->wheels[p->footprint].at, p->limits, &size,
                                      err) < 0)
        return -1;
    p->n_too_small += !size;
    snprintf(p->size, sizeof(p->size), "%lld", size);
    p->setting.values[p->footprint] = p->size;
    return size > 0;
}

int gcal_generator_product_next(struct gcal_generator_product *p, struct gcal_error *err)
{
    while (turn(p)) {
        const struct gcal_yaml *broken;
        int allows;

        if (gcal_generator_where_broken(&p->setting, &broken, err) < 0)
            return -1;
        if (broken && !p->broken.size)
            gcal_generator_where_put_broken(&p->setting, broken, &p->broken);
        allows = broken ? 0 : gcal_generator_keep_allows(&p->setting, &p->broken, err);
        if (allows > 0)
            allows = scale(p, err);
        if (allows)
            return allows;
    }
    return 0;
}
