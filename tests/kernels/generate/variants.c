/* variants.c - see variants.h
 *
 * Pairs of an argument and a value that must be covered are *targets*.  Each setting is
 * made for the first target not covered yet: a search through the arguments in order
 * tries values that are still targets before others, and backtracks where the generator's
 * conditions do not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "tests/kernels/generate/variants.h"

enum { MIN_VARIANTS = 3, MAX_TRIES = 20000 };

struct variant_search {
    const struct gcal_generator *g;
    const char **values; /* the setting being made */
    size_t fixed;        /* the argument that keeps its value, besides the dtype */
    size_t dtype;        /* n_arguments: it has none */
    bool **targets;      /* by argument and allowed value: still to be covered */
    size_t tries;
    bool again; /* a setting made already is accepted */
    const struct variants *made;
    const struct gcal_strings *texts; /* those of 'made' */
};

/* ---- arguments ---- */

static long long middle_of(const struct gcal_generator_arg *a)
{
    long long value = a->first;

    if (a->form == GCAL_GENERATOR_VALUES_RANGE)
        return a->first + (a->last - a->first) / (2 * a->step) * a->step;
    while (value * value < a->first * a->last)
        value *= 2;
    return value;
}

/* The ends of a range or powers of two, and one value between. */
static int add_ends(const struct gcal_generator_arg *a, struct gcal_strings *texts,
                    struct gcal_error *err)
{
    const long long ends[] = { a->first, middle_of(a), a->last };
    int rc = 0;

    for (size_t i = 0; i < 3 && rc == 0; i++) {
        char text[32];

        snprintf(text, sizeof(text), "%lld", ends[i]);
        if (!gcal_strings_contain(texts, text))
            rc = gcal_strings_add(texts, text, err);
    }
    return rc;
}

/* Sizes have one value: kernels run at the sizes of 'check'. */
static int find_values(const struct gcal_generator_arg *a, struct gcal_strings *texts,
                       struct gcal_error *err)
{
    const struct gcal_strings *more = a->listed.n ? &a->listed : &a->defaults;
    size_t n = a->size ? 1 : more->n;
    int rc = 0;

    if (a->form == GCAL_GENERATOR_VALUES_RANGE || a->form == GCAL_GENERATOR_VALUES_POWERS)
        rc = add_ends(a, texts, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        if (!gcal_strings_contain(texts, more->items[i]))
            rc = gcal_strings_add(texts, more->items[i], err);
    return rc;
}

/* Some arguments have values by tags alone. */
static const char *first_value(const struct gcal_generator_arg *a)
{
    return a->defaults.n ? a->defaults.items[0] : a->listed.items[0];
}

/* The loads that a derived kernel may keep: all, and each by itself, as far as the
 * variant with all defaults has them.
 */
static int find_loads(const struct gcal_generator *g, struct gcal_strings *texts,
                      struct gcal_error *err)
{
    const char **values = calloc(g->n_arguments, sizeof(*values));
    struct gcal_generator_setting setting = { .generator = g, .values = values };
    const struct gcal_remove_load_list *loads = NULL;
    size_t argument;
    int rc;

    if (!values)
        return gcal_error_memory(err);
    for (size_t i = 0; i < g->n_arguments; i++)
        values[i] = g->arguments[i].form == GCAL_GENERATOR_VALUES_LOADS
                        ? "each"
                        : first_value(&g->arguments[i]);
    rc = gcal_generator_keep_each(&setting, &loads, &argument, err);
    for (size_t i = 0; rc == 0 && i < loads->n; i++)
        if (loads->items[i].is_own)
            rc = gcal_strings_add(texts, loads->items[i].with, err);
    free(values);
    return rc;
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

static bool is_good(struct variant_search *s)
{
    struct gcal_generator_setting setting = { .generator = s->g, .values = s->values };
    const struct gcal_yaml *broken;
    struct gcal_buf why = { 0 };
    bool allowed;

    s->tries++;
    allowed = gcal_generator_where_broken(&setting, &broken, NULL) == 0 && !broken &&
              gcal_generator_keep_allows(&setting, &why, NULL) == 1;
    gcal_buf_free(&why);
    if (!allowed)
        return false;
    return s->again || !is_made(s->made, s->values, s->g->n_arguments);
}

static bool complete(struct variant_search *s, size_t i);

/* Tries values of argument 'i': only targets, or only others. */
static bool try_values(struct variant_search *s, size_t i, bool targets)
{
    for (size_t v = 0; v < s->texts[i].n && s->tries < MAX_TRIES; v++) {
        if (s->targets[i][v] != targets)
            continue;
        s->values[i] = s->texts[i].items[v];
        if (complete(s, i + 1))
            return true;
    }
    return false;
}

/* Gives values to the arguments from 'i' on; false when no combination is allowed. */
static bool complete(struct variant_search *s, size_t i)
{
    if (i == s->g->n_arguments)
        return is_good(s);
    if (i == s->fixed || i == s->dtype)
        return complete(s, i + 1);
    return try_values(s, i, true) || try_values(s, i, false);
}

/* ---- one dtype ---- */

/* All words, as each is likely to select other code; three of the numbers. */
static void mark_targets(struct variant_search *s)
{
    for (size_t i = 0; i < s->g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &s->g->arguments[i];
        bool *targets = s->targets[i], loads = a->form == GCAL_GENERATOR_VALUES_LOADS;
        bool listed = loads || a->form == GCAL_GENERATOR_VALUES_LISTED;
        size_t n = listed || s->texts[i].n < 3 ? s->texts[i].n : 3;

        if (i == s->dtype || n < 2)
            continue;
        targets[0] = targets[n / 2] = targets[n - 1] = true;
        for (size_t v = 0; listed && v < n; v++)
            targets[v] = targets[v] || loads || !gcal_generator_arg_is_integer(a);
    }
}

static void cover(struct variant_search *s)
{
    for (size_t i = 0; i < s->g->n_arguments; i++)
        for (size_t v = 0; v < s->texts[i].n; v++)
            if (strcmp(s->texts[i].items[v], s->values[i]) == 0)
                s->targets[i][v] = false;
}

static int keep(const struct variant_search *s, struct variants *variants,
                struct gcal_error *err)
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

/* Keeps the setting that the search found, unless it was made already. */
static int take(struct variant_search *s, struct variants *variants,
                struct gcal_error *err)
{
    cover(s);
    return is_made(variants, s->values, s->g->n_arguments) ? 0 : keep(s, variants, err);
}

static int take_defaults(struct variant_search *s, struct variants *variants,
                         struct gcal_error *err)
{
    for (size_t i = 0; i < s->g->n_arguments; i++)
        if (i != s->dtype)
            s->values[i] = first_value(&s->g->arguments[i]);
    return is_good(s) ? take(s, variants, err) : 0;
}

/* Finds a setting for target 'v' of argument 'i'. */
static int take_target(struct variant_search *s, size_t i, size_t v,
                       struct variants *variants, struct gcal_error *err)
{
    s->fixed = i;
    s->tries = 0;
    s->values[i] = s->texts[i].items[v];
    s->targets[i][v] = false;
    return complete(s, 0) ? take(s, variants, err) : 0;
}

static int choose_for_dtype(struct variant_search *s, struct variants *variants,
                            struct gcal_error *err)
{
    size_t before = variants->n;

    mark_targets(s);
    s->again = true;
    if (take_defaults(s, variants, err) < 0)
        return -1;
    for (size_t i = 0; i < s->g->n_arguments; i++)
        for (size_t v = 0; v < s->texts[i].n; v++)
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

static void free_search(struct variant_search *s)
{
    for (size_t i = 0; s->targets && i < s->g->n_arguments; i++)
        free(s->targets[i]);
    free(s->targets);
    free(s->values);
}

static int init_search(struct variant_search *s, const struct gcal_generator *g,
                       struct variants *variants, struct gcal_error *err)
{
    size_t n = g->n_arguments;

    *s = (struct variant_search){
        .g = g, .dtype = find_dtype(g), .fixed = n, .made = variants
    };
    s->values = calloc(n + 1, sizeof(*s->values));
    s->targets = calloc(n + 1, sizeof(*s->targets));
    variants->texts = calloc(n + 1, sizeof(*variants->texts));
    variants->n_arguments = n;
    if (!s->values || !s->targets || !variants->texts)
        return gcal_error_memory(err);
    s->texts = variants->texts;
    for (size_t i = 0; i < n; i++) {
        if (find_values(&g->arguments[i], &variants->texts[i], err) < 0 ||
            (g->arguments[i].form == GCAL_GENERATOR_VALUES_LOADS &&
             find_loads(g, &variants->texts[i], err) < 0))
            return -1;
        if (!(s->targets[i] = calloc(s->texts[i].n, sizeof(bool))))
            return gcal_error_memory(err);
    }
    return 0;
}

int variants_choose(const struct gcal_generator *generator, bool other_dtypes,
                    struct variants *variants, struct gcal_error *err)
{
    struct variant_search s;
    int rc = init_search(&s, generator, variants, err);
    bool has_dtype = s.dtype < generator->n_arguments;
    const struct gcal_strings *dtypes = !has_dtype ? NULL
                                        : other_dtypes
                                            ? &variants->texts[s.dtype]
                                            : &generator->arguments[s.dtype].defaults;

    for (size_t i = 0; rc == 0 && i < (other_dtypes && has_dtype ? dtypes->n : 1); i++) {
        if (has_dtype)
            s.values[s.dtype] = dtypes->items[i];
        rc = choose_for_dtype(&s, variants, err);
    }
    free_search(&s);
    return rc;
}

int variants_all(const struct gcal_generator *generator, struct variants *variants,
                 struct gcal_error *err)
{
    struct variant_search s;
    int rc = init_search(&s, generator, variants, err);

    s.dtype = generator->n_arguments; /* as any other argument */
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
    for (size_t i = 0; variants->texts && i < variants->n_arguments; i++)
        gcal_strings_clear(&variants->texts[i]);
    free(variants->texts);
    *variants = (struct variants){ 0 };
}

bool variants_is_wanted(const char *name, int n_names, char **names)
{
    for (int i = 0; i < n_names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return n_names == 0;
}
