/* advice.c - which sizes to assume something about, where a count is not exact
 *
 * Sizes are tried out: the scope is counted with a size that is at least 1, or is a number,
 * and what makes the count exact is the advice.
 */
#include <string.h>

#include "kernels/count/private.h"

enum { MOST_NAMES = 12, MOST_FIXED = 3 };

struct names {
    size_t n;
    const char *all[MOST_NAMES];
};

/* What is tried: values for the sizes. */
struct trial {
    struct gcal_poly_context *c;
    size_t n;
    unsigned atoms[MOST_FIXED];
    const struct gcal_poly *values[MOST_FIXED];
};

/* ---- the sizes in a scope ---- */

static void add_name(const char *name, void *data)
{
    struct names *names = data;

    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->all[i], name) == 0)
            return;
    if (names->n < MOST_NAMES)
        names->all[names->n++] = name;
}

static void add_of_condition(struct gcal_poly_context *c,
                             const struct gcal_sets_condition *x, struct names *names)
{
    if (x->p)
        gcal_poly_visit_parameters(c, x->p, add_name, names);
    if (x->a)
        add_of_condition(c, x->a, names);
    if (x->b)
        add_of_condition(c, x->b, names);
}

/* Of the innermost loop or condition first, and of the global size last. */
static void find_names(const struct gcal_count_builder *m,
                       const struct gcal_sets_scope *scope, struct names *names)
{
    for (; scope; scope = scope->parent) {
        if (scope->condition)
            add_of_condition(m->c, scope->condition, names);
        if (scope->trips)
            gcal_poly_visit_parameters(m->c, scope->trips, add_name, names);
    }
    for (size_t d = 0; d < m->nest->n_dims; d++)
        gcal_poly_visit_parameters(m->c, m->nest->groups[d], add_name, names);
}

/* ---- trials ---- */

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct trial *trial = data;

    for (size_t i = 0; i < trial->n; i++)
        p = gcal_poly_substitute(trial->c, p, trial->atoms[i], trial->values[i]);
    return p;
}

static const struct gcal_sets_scope *replaced(struct trial *trial,
                                              const struct gcal_sets_scope *scope)
{
    struct gcal_sets_scope *same;

    if (!scope || !(same = gcal_poly_alloc(trial->c, sizeof(*same))))
        return scope;
    *same = *scope;
    same->parent = replaced(trial, scope->parent);
    if (same->trips)
        same->trips = replace(same->trips, trial);
    if (same->condition)
        same->condition =
            gcal_sets_condition_map(trial->c, same->condition, replace, trial);
    return same;
}

static bool succeeds(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                     enum gcal_sets_count_mode mode, struct trial *trial)
{
    const struct gcal_poly *groups[GCAL_MAX_DIMS];
    bool estimated = false, exact;
    struct gcal_sets_mark mark;

    if (!m->nest->context || !gcal_poly_may_attempt(m->c))
        return false;
    mark = gcal_sets_nest_mark(m->nest);
    memcpy(groups, m->nest->groups, sizeof(groups));
    for (size_t d = 0; d < m->nest->n_dims; d++)
        m->nest->groups[d] = replace(groups[d], trial);
    exact = gcal_sets_scope_count(m->nest, replaced(trial, scope), mode, &estimated) &&
            !estimated;
    memcpy(m->nest->groups, groups, sizeof(groups));
    exact = exact && !gcal_poly_context_has_failed(m->c);
    gcal_sets_nest_rewind(m->nest, &mark);
    return exact;
}

/* The atom that stands for the size, possibly the hidden one of an assumption; false when
 * the size is a number.
 */
static bool find_atom(struct gcal_poly_context *c, const char *name, unsigned *atom)
{
    const struct gcal_poly *p = gcal_poly_parameter(c, name);

    for (size_t i = 0; i < p->n_terms; i++)
        if (p->terms[i].n_factors == 1) {
            *atom = p->terms[i].factors[0].atom;
            return true;
        }
    return false;
}

/* Whether the size need only be at least 1. */
static bool needs_one(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                      enum gcal_sets_count_mode mode, const char *name)
{
    struct trial trial = { .c = m->c, .n = 1 };
    const struct gcal_poly *size = gcal_poly_parameter(m->c, name);

    if (!find_atom(m->c, name, &trial.atoms[0]) ||
        gcal_poly_is_nonnegative(m->c,
                                 gcal_poly_sub(m->c, size, gcal_poly_integer(m->c, 1))))
        return false;
    trial.values[0] = gcal_poly_add(m->c, gcal_poly_from_atom(m->c, trial.atoms[0]),
                                    gcal_poly_integer(m->c, 1));
    return succeeds(m, scope, mode, &trial);
}

/* Whether numbers for these sizes suffice. */
static bool needs_numbers(struct gcal_count_builder *m,
                          const struct gcal_sets_scope *scope,
                          enum gcal_sets_count_mode mode, size_t n, const char **names)
{
    static const int64_t numbers[] = { 3, 64 };

    for (int k = 0; k < 2; k++) {
        struct trial trial = { .c = m->c };

        for (size_t i = 0; i < n; i++)
            if (find_atom(m->c, names[i], &trial.atoms[trial.n]))
                trial.values[trial.n++] = gcal_poly_integer(m->c, numbers[k]);
        if (!succeeds(m, scope, mode, &trial))
            return false;
    }
    return true;
}

static const char *fix(struct gcal_count_builder *m, size_t n, const char **names)
{
    const char *list = "", *assumed = "";

    for (size_t i = 0; i < n; i++) {
        list = gcal_poly_format(m->c, "%s%s'%s'", list, i ? " and " : "", names[i]);
        assumed =
            gcal_poly_format(m->c, "%s%s%s = 4", assumed, i ? " and " : "", names[i]);
    }
    return gcal_poly_format(m->c, "give %s as %s, as in --assume \"%s\"", list,
                            n == 1 ? "a number" : "numbers", assumed);
}

const char *gcal_count_advice(struct gcal_count_builder *m,
                              const struct gcal_sets_scope *scope,
                              enum gcal_sets_count_mode mode)
{
    struct names names = { 0 };
    const char *pair[MOST_FIXED];

    if (gcal_poly_context_has_failed(m->c))
        return NULL;
    find_names(m, scope, &names);
    for (size_t i = 0; i < names.n; i++)
        if (needs_one(m, scope, mode, names.all[i]))
            return gcal_poly_format(m->c, "assume \"%s >= 1\"", names.all[i]);
    for (size_t i = 0; i < names.n; i++)
        if (needs_numbers(m, scope, mode, 1, &names.all[i]))
            return fix(m, 1, &names.all[i]);
    for (size_t i = 0; i < names.n; i++)
        for (size_t j = i + 1; j < names.n; j++) {
            pair[0] = names.all[i];
            pair[1] = names.all[j];
            if (needs_numbers(m, scope, mode, 2, pair))
                return fix(m, 2, pair);
        }
    return NULL;
}
