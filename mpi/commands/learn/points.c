/* points.c - the sizes at which a kernel is measured */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "mpi/commands/learn/private.h"

const double gcal_learn_parts[GCAL_LEARN_N_PARTS] = {
    0, 0.13, 0.31, 0.49, 0.68, 0.86, 1
};

/* ---- --sizes ---- */

static int parse_number(const char *text, size_t length, double *value,
                        struct gcal_error *err)
{
    char *copy = strndup(text, length);
    struct gcal_expr *expr = copy ? gcal_expr_parse(copy, NULL) : NULL;

    *value = expr && !gcal_expr_symbol_count(expr) ? gcal_expr_eval(expr, NULL) : NAN;
    gcal_expr_destroy(expr);
    free(copy);
    if (*value >= 1 && *value < 0x1p53 && *value == floor(*value))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "--sizes: '%.*s' is not a positive integer",
                          (int)length, text);
}

/* "n=1024:16384" or "m=64" */
static int parse_span(const struct gcal_own_kernel *own, const char *item, size_t length,
                      struct gcal_learn_span *spans, struct gcal_error *err)
{
    const char *equals = memchr(item, '=', length), *end = item + length, *colon;
    size_t i;

    if (!equals || equals == item)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--sizes: expected NAME=FIRST:LAST or NAME=VALUE, found "
                              "'%.*s'",
                              (int)length, item);
    i = gcal_own_sizes_find(own, item, (size_t)(equals - item));
    if (i == own->n_sizes)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--sizes: the kernel's work does not depend on '%.*s'",
                              (int)(equals - item), item);
    colon = memchr(equals, ':', (size_t)(end - equals));
    if (parse_number(equals + 1, (size_t)((colon ? colon : end) - equals - 1),
                     &spans[i].first, err) < 0)
        return -1;
    spans[i].last = spans[i].first;
    if (colon &&
        parse_number(colon + 1, (size_t)(end - colon - 1), &spans[i].last, err) < 0)
        return -1;
    if (spans[i].last < spans[i].first)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--sizes: the range '%.*s' ends before it begins",
                              (int)length, item);
    return 0;
}

struct gcal_learn_span *gcal_learn_spans_parse(const struct gcal_learning *l,
                                               struct gcal_error *err)
{
    const struct gcal_own_kernel *own = &l->own;
    struct gcal_learn_span *spans =
        gcal_arena_alloc(l->arena, own->n_sizes, sizeof(*spans));
    const char *sizes = l->c->sizes;

    for (size_t i = 0; i < own->n_sizes; i++)
        spans[i].first = spans[i].last = own->sizes[i].fixed;
    while (sizes && *sizes) {
        size_t length = strcspn(sizes, ",");

        if (parse_span(own, sizes, length, spans, err) < 0)
            return NULL;
        sizes += length + (sizes[length] == ',');
    }
    return spans;
}

/* ---- values that can be launched ---- */

void gcal_learn_set_sizes(const struct gcal_own_kernel *own,
                          const struct gcal_learn_span *spans, double value, double part,
                          double *sizes)
{
    for (size_t i = 0; i < own->n_sizes; i++) {
        const struct gcal_learn_span *s = &spans[i];

        sizes[i] = isnan(s->first) ? (own->sizes[i].in_extents ? value : own->check[i])
                   : s->first == s->last ? s->first
                                         : rint(s->first * pow(s->last / s->first, part));
    }
}

/* Sizes between the ends of a range are not multiples of these, the first that the
 * kernel's conditions allow: multiples of powers of two are faster or slower than others.
 */
static const double avoided[] = { 2, 64, 512, INFINITY };

bool gcal_learn_move_sizes(const struct gcal_learning *l,
                           const struct gcal_learn_span *spans, bool odd, double *sizes)
{
    size_t n_avoided = sizeof(avoided) / sizeof(*avoided);
    const struct gcal_own_kernel *own = &l->own;
    double *moved = gcal_arena_alloc(l->arena, own->n_sizes, sizeof(*moved));
    bool found = false;

    for (size_t pass = odd ? 0 : n_avoided - 1; pass < n_avoided && !found; pass++)
        for (long k = 0; k <= 4096 && !found; k++) {
            double by = (double)(k % 2 ? (k + 1) / 2 : -(k / 2));
            bool good = true;

            for (size_t i = 0; i < own->n_sizes; i++) {
                bool is_fixed = spans[i].first == spans[i].last ||
                                (isnan(spans[i].first) && !own->sizes[i].in_extents);

                moved[i] = is_fixed ? sizes[i] : sizes[i] + by;
                good = good && moved[i] >= 1 &&
                       (is_fixed || fmod(moved[i], avoided[pass]) != 0);
            }
            found = good && gcal_own_sizes_check(own, moved, NULL) == 0;
        }
    if (found)
        memcpy(sizes, moved, own->n_sizes * sizeof(*sizes));
    return found;
}

void gcal_learn_points_append(struct gcal_learning *l, const double *sizes)
{
    struct gcal_learn_points *p = &l->points;
    size_t bytes = p->n_sizes * sizeof(*sizes);
    double *values;

    for (size_t i = 0; i < p->n; i++)
        if (memcmp(p->values + i * p->n_sizes, sizes, bytes) == 0)
            return;
    values = gcal_arena_alloc(l->arena, p->n + 1, bytes);
    if (p->n)
        memcpy(values, p->values, p->n * bytes);
    memcpy(values + p->n++ * p->n_sizes, sizes, bytes);
    p->values = values;
}

/* ---- points of ranges ---- */

/* The value that sizes without a span follow: the first range's. */
static double find_leading(const struct gcal_own_kernel *own,
                           const struct gcal_learn_span *spans, double part)
{
    for (size_t i = 0; i < own->n_sizes; i++)
        if (spans[i].last > spans[i].first)
            return rint(spans[i].first * pow(spans[i].last / spans[i].first, part));
    return own->check[0];
}

int gcal_learn_points_parse(struct gcal_learning *l, struct gcal_error *err)
{
    const struct gcal_own_kernel *own = &l->own;
    double *sizes = gcal_arena_alloc(l->arena, own->n_sizes, sizeof(*sizes));
    struct gcal_learn_span *spans;

    l->points.n_sizes = own->n_sizes;
    if (!l->c->sizes || !strchr(l->c->sizes, ':'))
        return 0;
    if (!(spans = gcal_learn_spans_parse(l, err)))
        return -1;
    for (int i = 0; i < GCAL_LEARN_N_PARTS; i++) {
        bool is_end = i == 0 || i == GCAL_LEARN_N_PARTS - 1;
        double part = gcal_learn_parts[i];

        gcal_learn_set_sizes(own, spans, find_leading(own, spans, part), part, sizes);
        if (is_end && gcal_own_sizes_check(own, sizes, err) < 0) {
            const char *text = "";

            for (size_t k = 0; k < own->n_sizes; k++)
                text = gcal_arena_format(l->arena, "%s%s%s = %.0f", text, k ? ", " : "",
                                         own->sizes[k].name, sizes[k]);
            return gcal_error_prefix(err, "--sizes, at %s", text);
        }
        if (is_end || gcal_learn_move_sizes(l, spans, true, sizes))
            gcal_learn_points_append(l, sizes);
    }
    /* One range small while the others are large: else their effects could not be distinguished.
     */
    size_t n_ranges = 0;
    for (size_t i = 0; i < own->n_sizes; i++)
        n_ranges += spans[i].last > spans[i].first;
    for (size_t i = 0; i < own->n_sizes && n_ranges > 1; i++) {
        if (!(spans[i].last > spans[i].first))
            continue;
        gcal_learn_set_sizes(own, spans, find_leading(own, spans, 1), 1, sizes);
        sizes[i] = spans[i].first;
        if (gcal_own_sizes_check(own, sizes, NULL) == 0)
            gcal_learn_points_append(l, sizes);
    }
    if (l->points.n >= 3)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--sizes %s: %zu sizes are too few for a model: give a wider "
                          "range",
                          l->c->sizes, l->points.n);
}
