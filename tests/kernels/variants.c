/* variants.c - see variants.h
 *
 * What has to be covered are *targets*, pairs of an argument and a value.  A setting is
 * made for the first target that is not covered yet: a search through the arguments in
 * order takes values that are targets still before others, and goes back where the
 * generator's conditions do not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "tests/kernels/variants.h"

enum { MIN_VARIANTS = 3, MAX_TRIES = 20000 };

struct search {
    const struct gcal_generator *g;
    const char **values; /* the setting that is being made */
    size_t fixed;        /* the argument that keeps its value, besides the dtype */
    size_t dtype;        /* n_arguments: there is none */
    bool **targets;      /* by argument and allowed value: still to be covered */
    size_t tries;
    bool again; /* a setting that is there already will do */
    const struct variants *made;
};

/* ---- arguments ---- */

/* What a range or powers of two allow is not taken but for the defaults. */
static const struct gcal_texts *texts_of(const struct gcal_generator_arg *a)
{
    return a->form == GCAL_VALUES_LISTED ? &a->listed : &a->defaults;
}

static size_t n_values(const struct gcal_generator_arg *a)
{
    return a->size ? 1 : texts_of(a)->n;
}

/* A size takes its first value: what runs are the sizes of the check. */
static const char *value_at(const struct gcal_generator_arg *a, size_t i)
{
    return texts_of(a)->items[i];
}

static size_t find_dtype(const struct gcal_generator *g)
{
    size_t i = 0;

    while (i < g->n_arguments && strcmp(g->arguments[i].name, "dtype") != 0)
        i++;
    return i;
}

/* ---- the search ---- */

static bool is_made(const struct variants *made, const char *const *values, size_t n)
{
    for (size_t v = 0; v < made->n; v++) {
        size_t i = 0;

        while (i < n && strcmp(made->values[v][i], values[i]) == 0)
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static bool is_good(struct search *s)
{
    struct gcal_setting setting = { .generator = s->g, .values = s->values };
    const struct gcal_yaml *broken;

    s->tries++;
    if (gcal_where_broken(&setting, &broken, NULL) < 0 || broken)
        return false;
    return s->again || !is_made(s->made, s->values, s->g->n_arguments);
}

static bool complete(struct search *s, size_t i);

/* Values of argument 'i' that are targets, or those that are none. */
static bool try_values(struct search *s, size_t i, bool targets)
{
    const struct gcal_generator_arg *a = &s->g->arguments[i];

    for (size_t v = 0; v < n_values(a) && s->tries < MAX_TRIES; v++) {
        if (s->targets[i][v] != targets)
            continue;
        s->values[i] = value_at(a, v);
        if (complete(s, i + 1))
            return true;
    }
    return false;
}

/* Gives values to the arguments from 'i' on; false when no combination is allowed. */
static bool complete(struct search *s, size_t i)
{
    if (i == s->g->n_arguments)
        return is_good(s);
    if (i == s->fixed || i == s->dtype)
        return complete(s, i + 1);
    return try_values(s, i, true) || try_values(s, i, false);
}

/* ---- one dtype ---- */

static void mark_targets(struct search *s)
{
    for (size_t i = 0; i < s->g->n_arguments; i++) {
        size_t n = n_values(&s->g->arguments[i]);

        if (i != s->dtype && n > 1)
            s->targets[i][0] = s->targets[i][n / 2] = s->targets[i][n - 1] = true;
    }
}

static void cover(struct search *s)
{
    for (size_t i = 0; i < s->g->n_arguments; i++)
        for (size_t v = 0; v < n_values(&s->g->arguments[i]); v++)
            if (strcmp(value_at(&s->g->arguments[i], v), s->values[i]) == 0)
                s->targets[i][v] = false;
}

static int keep(const struct search *s, struct variants *variants, struct gcal_error *err)
{
    size_t bytes = s->g->n_arguments * sizeof(*s->values);
    const char ***moved = gcal_array_grow(variants->values, variants->n,
                                          &variants->capacity, sizeof(*moved), err);

    if (!moved)
        return -1;
    variants->values = moved;
    if (!(moved[variants->n] = malloc(bytes + 1)))
        return gcal_error_memory(err);
    memcpy(moved[variants->n++], s->values, bytes);
    return 0;
}

/* The setting that the search found, unless it is there already. */
static int take(struct search *s, struct variants *variants, struct gcal_error *err)
{
    cover(s);
    return is_made(variants, s->values, s->g->n_arguments) ? 0 : keep(s, variants, err);
}

static int take_defaults(struct search *s, struct variants *variants,
                         struct gcal_error *err)
{
    for (size_t i = 0; i < s->g->n_arguments; i++)
        if (i != s->dtype)
            s->values[i] = s->g->arguments[i].defaults.items[0];
    return is_good(s) ? take(s, variants, err) : 0;
}

/* The setting for target 'v' of argument 'i', if there is one. */
static int take_target(struct search *s, size_t i, size_t v, struct variants *variants,
                       struct gcal_error *err)
{
    s->fixed = i;
    s->tries = 0;
    s->values[i] = value_at(&s->g->arguments[i], v);
    s->targets[i][v] = false;
    return complete(s, 0) ? take(s, variants, err) : 0;
}

static int choose_for_dtype(struct search *s, struct variants *variants,
                            struct gcal_error *err)
{
    size_t before = variants->n;

    mark_targets(s);
    s->again = true;
    if (take_defaults(s, variants, err) < 0)
        return -1;
    for (size_t i = 0; i < s->g->n_arguments; i++)
        for (size_t v = 0; v < n_values(&s->g->arguments[i]); v++)
            if (s->targets[i][v] && take_target(s, i, v, variants, err) < 0)
                return -1;
    s->again = false;
    s->fixed = s->g->n_arguments;
    s->tries = 0;
    while (variants->n < before + MIN_VARIANTS && complete(s, 0))
        if (take(s, variants, err) < 0)
            return -1;
    return 0;
}

/* ---- all ---- */

static void free_search(struct search *s)
{
    for (size_t i = 0; s->targets && i < s->g->n_arguments; i++)
        free(s->targets[i]);
    free(s->targets);
    free(s->values);
}

static int init_search(struct search *s, struct gcal_error *err)
{
    size_t n = s->g->n_arguments;

    s->values = calloc(n + 1, sizeof(*s->values));
    s->targets = calloc(n + 1, sizeof(*s->targets));
    if (!s->values || !s->targets)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!(s->targets[i] = calloc(n_values(&s->g->arguments[i]), sizeof(bool))))
            return gcal_error_memory(err);
    return 0;
}

int variants_choose(const struct gcal_generator *generator, bool other_dtypes,
                    struct variants *variants, struct gcal_error *err)
{
    struct search s = { .g = generator,
                        .dtype = find_dtype(generator),
                        .fixed = generator->n_arguments,
                        .made = variants };
    const struct gcal_generator_arg *dtype = &generator->arguments[s.dtype];
    bool has_dtype = s.dtype < generator->n_arguments;
    size_t n = has_dtype && other_dtypes ? n_values(dtype) : 1;
    int rc = init_search(&s, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        if (has_dtype)
            s.values[s.dtype] =
                other_dtypes ? value_at(dtype, i) : dtype->defaults.items[0];
        rc = choose_for_dtype(&s, variants, err);
    }
    free_search(&s);
    return rc;
}

int variants_all(const struct gcal_generator *generator, struct variants *variants,
                 struct gcal_error *err)
{
    struct search s = { .g = generator,
                        .dtype = generator->n_arguments,
                        .fixed = generator->n_arguments,
                        .made = variants };
    int rc = init_search(&s, err);

    while (rc == 0 && complete(&s, 0)) {
        rc = keep(&s, variants, err);
        s.tries = 0;
    }
    free_search(&s);
    return rc;
}

void variants_clear(struct variants *variants)
{
    for (size_t i = 0; i < variants->n; i++)
        free(variants->values[i]);
    free(variants->values);
    *variants = (struct variants){ 0 };
}
