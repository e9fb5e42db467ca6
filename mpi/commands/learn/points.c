/* points.c - the sizes at which a kernel is measured */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "mpi/commands/learn/private.h"

const double gcal_learn_parts[GCAL_LEARN_N_PARTS] = {
    0, 0.13, 0.31, 0.49, 0.68, 0.86, 1
};

void gcal_learn_points_clear(struct gcal_learn_points *points)
{
    free(points->values);
    *points = (struct gcal_learn_points){ 0 };
}

/* ---- --sizes ---- */

bool gcal_learn_points_given(const char *sizes)
{
    return sizes && strchr(sizes, ':');
}

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

int gcal_learn_spans_parse(const struct gcal_own_kernel *own, const char *sizes,
                           struct gcal_learn_span *spans, struct gcal_error *err)
{
    for (size_t i = 0; i < own->n_sizes; i++)
        spans[i].first = spans[i].last = own->sizes[i].fixed;
    while (sizes && *sizes) {
        size_t length = strcspn(sizes, ",");

        if (parse_span(own, sizes, length, spans, err) < 0)
            return -1;
        sizes += length + (sizes[length] == ',');
    }
    return 0;
}

/* ---- values that can be launched ---- */

void gcal_learn_target_sizes(const struct gcal_learn_target *t, double value, double part,
                             double *sizes)
{
    for (size_t i = 0; i < t->own->n_sizes; i++) {
        const struct gcal_learn_span *s = &t->spans[i];

        sizes[i] = isnan(s->first)
                       ? (t->own->sizes[i].in_extents ? value : t->own->check[i])
                   : s->first == s->last ? s->first
                                         : rint(s->first * pow(s->last / s->first, part));
    }
}

/* Sizes between the ends of a range are not multiples of these, the first that the
 * kernel's conditions allow: multiples of powers of two are faster or slower than others.
 */
static const double avoided[] = { 2, 64, 512, INFINITY };

bool gcal_learn_target_move(const struct gcal_learn_target *t, bool odd, double *sizes)
{
    size_t n_avoided = sizeof(avoided) / sizeof(*avoided);
    const struct gcal_own_kernel *own = t->own;
    double *moved = calloc(own->n_sizes + 1, sizeof(*moved));
    bool found = false;

    for (size_t pass = odd ? 0 : n_avoided - 1; pass < n_avoided && moved && !found;
         pass++)
        for (long k = 0; k <= 4096 && !found; k++) {
            double by = (double)(k % 2 ? (k + 1) / 2 : -(k / 2));
            bool good = true;

            for (size_t i = 0; i < own->n_sizes; i++) {
                bool is_fixed = t->spans[i].first == t->spans[i].last ||
                                (isnan(t->spans[i].first) && !own->sizes[i].in_extents);

                moved[i] = is_fixed ? sizes[i] : sizes[i] + by;
                good = good && moved[i] >= 1 &&
                       (is_fixed || fmod(moved[i], avoided[pass]) != 0);
            }
            found = good && gcal_own_sizes_check(own, moved, NULL) == 0;
        }
    if (found)
        memcpy(sizes, moved, own->n_sizes * sizeof(*sizes));
    free(moved);
    return found;
}

static bool is_new(const struct gcal_learn_points *p, const double *sizes)
{
    for (size_t i = 0; i < p->n; i++)
        if (memcmp(p->values + i * p->n_sizes, sizes, p->n_sizes * sizeof(*sizes)) == 0)
            return false;
    return true;
}

int gcal_learn_points_append(struct gcal_learn_points *p, const double *sizes,
                             struct gcal_error *err)
{
    double *values;

    if (!is_new(p, sizes))
        return 0;
    values = reallocarray(p->values, (p->n + 1) * p->n_sizes, sizeof(*values));
    if (!values)
        return gcal_error_memory(err);
    p->values = values;
    memcpy(values + p->n++ * p->n_sizes, sizes, p->n_sizes * sizeof(*sizes));
    return 0;
}

/* ---- points of ranges ---- */

/* The value that sizes without a span follow: the first range's. */
static double leading_value(const struct gcal_learn_target *t, double part)
{
    for (size_t i = 0; i < t->own->n_sizes; i++)
        if (t->spans[i].last > t->spans[i].first)
            return rint(t->spans[i].first *
                        pow(t->spans[i].last / t->spans[i].first, part));
    return t->own->check[0];
}

/* One range small while the others are large: else their effects could not be distinguished.
 */
static int append_corners(const struct gcal_learn_target *t, double *sizes,
                          struct gcal_learn_points *points, struct gcal_error *err)
{
    size_t n_ranges = 0;
    int rc = 0;

    for (size_t i = 0; i < t->own->n_sizes; i++)
        n_ranges += t->spans[i].last > t->spans[i].first;
    for (size_t i = 0; i < t->own->n_sizes && n_ranges > 1 && rc == 0; i++) {
        if (!(t->spans[i].last > t->spans[i].first))
            continue;
        gcal_learn_target_sizes(t, leading_value(t, 1), 1, sizes);
        sizes[i] = t->spans[i].first;
        if (gcal_own_sizes_check(t->own, sizes, NULL) == 0)
            rc = gcal_learn_points_append(points, sizes, err);
    }
    return rc;
}

/* After a failure at 'sizes'. */
static int fail_at(const struct gcal_own_kernel *own, const double *sizes,
                   struct gcal_error *err)
{
    struct gcal_buf text = { 0 };

    for (size_t i = 0; i < own->n_sizes; i++)
        gcal_buf_printf(&text, "%s%s = %.0f", i ? ", " : "", own->sizes[i].name,
                        sizes[i]);
    gcal_error_prefix(err, "--sizes, at %s", text.data ? text.data : "?");
    gcal_buf_free(&text);
    return -1;
}

static int append_range(const struct gcal_learn_target *t, double *sizes,
                        struct gcal_learn_points *points, struct gcal_error *err)
{
    for (int i = 0; i < GCAL_LEARN_N_PARTS; i++) {
        bool is_end = i == 0 || i == GCAL_LEARN_N_PARTS - 1;
        double part = gcal_learn_parts[i];

        gcal_learn_target_sizes(t, leading_value(t, part), part, sizes);
        if (is_end ? gcal_own_sizes_check(t->own, sizes, err) < 0
                   : !gcal_learn_target_move(t, true, sizes)) {
            if (is_end)
                return fail_at(t->own, sizes, err);
            continue;
        }
        if (gcal_learn_points_append(points, sizes, err) < 0)
            return -1;
    }
    return append_corners(t, sizes, points, err);
}

int gcal_learn_points_parse(const struct gcal_own_kernel *own, const char *sizes,
                            struct gcal_learn_points *points, struct gcal_error *err)
{
    struct gcal_learn_span *spans = calloc(own->n_sizes + 1, sizeof(*spans));
    double *values = calloc(own->n_sizes + 1, sizeof(*values));
    const struct gcal_learn_target t = { own, spans };
    int rc;

    *points = (struct gcal_learn_points){ .n_sizes = own->n_sizes };
    if (!spans || !values)
        rc = gcal_error_memory(err);
    else if ((rc = gcal_learn_spans_parse(own, sizes, spans, err)) == 0)
        rc = append_range(&t, values, points, err);
    if (rc == 0 && points->n < 3)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "--sizes %s: %zu sizes are too few for a model: give a wider "
                            "range",
                            sizes, points->n);
    free(spans);
    free(values);
    return rc;
}
