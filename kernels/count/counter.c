/* counter.c - counts of events, and notes on those that are inexact */
#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/count/private.h"

void gcal_count_builder_estimate(struct gcal_count_builder *m, int line, int column,
                                 const char *what, const char *done)
{
    if (m->failed)
        return;
    if (m->request->allow_estimates) {
        gcal_sets_nest_note(m->nest, line, column,
                            gcal_poly_format(m->c, "%s: %s", what, done));
        return;
    }
    m->failed = true;
    if (gcal_poly_context_check(m->c, m->err) == 0)
        gcal_error_set(m->err, GCAL_EINPUT, "%s:%d:%d: %s: allow estimates to have it %s",
                       m->nest->file, line, column, what, done);
}

void gcal_count_builder_note_sample(struct gcal_count_builder *m, int line, int column)
{
    gcal_sets_nest_note(m->nest, line, column,
                        gcal_poly_format(m->c,
                                         "how often this happens was counted in a sample "
                                         "of work-groups: standard error %.2g %%",
                                         100 * m->nest->error));
}

static bool is_exact(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                     enum gcal_sets_count_mode mode)
{
    bool estimated = false;

    return gcal_sets_scope_count(m->nest, scope, mode, &estimated) && !estimated;
}

const struct gcal_sets_scope *gcal_count_known_scope(struct gcal_count_builder *m,
                                                     const struct gcal_sets_scope *scope)
{
    const struct gcal_sets_scope *parent;
    struct gcal_sets_scope *same;

    if (!scope)
        return NULL;
    parent = gcal_count_known_scope(m, scope->parent);
    if (scope->kind == GCAL_SETS_SCOPE_UNKNOWN)
        return parent;
    if (parent == scope->parent || !(same = gcal_poly_alloc(m->c, sizeof(*same))))
        return scope;
    *same = *scope;
    same->parent = parent;
    return same;
}

/* The outermost loop or condition around it that is not exact. */
static const struct gcal_sets_scope *
outermost_inexact(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                  enum gcal_sets_count_mode mode)
{
    while (scope->parent && !is_exact(m, scope->parent, mode))
        scope = scope->parent;
    return scope;
}

/* Whether the scope has been explained; marks it as explained. */
static bool is_explained(struct gcal_count_builder *m,
                         const struct gcal_sets_scope *scope,
                         enum gcal_sets_count_mode mode)
{
    struct gcal_count_explained *moved;

    for (size_t i = 0; i < m->n_explained; i++)
        if (m->explained[i].scope == scope && m->explained[i].mode == mode)
            return true;
    moved = gcal_array_grow(m->explained, m->n_explained, &m->explained_capacity,
                            sizeof(*moved), NULL);
    if (moved) { /* else it is explained again */
        m->explained = moved;
        moved[m->n_explained++] = (struct gcal_count_explained){ scope, mode };
    }
    return false;
}

/* A loop is refused, as what it runs at most may be far from what it runs; of a condition
 * the sides are counted as for one on data.
 */
static void what_is_inexact(struct gcal_count_builder *m,
                            const struct gcal_sets_scope *scope,
                            const struct gcal_sets_scope *at,
                            enum gcal_sets_count_mode mode)
{
    bool by_item = mode == GCAL_SETS_COUNT_WORK_ITEMS;

    if (by_item && at->kind == GCAL_SETS_SCOPE_LOOP) {
        gcal_count_builder_estimate(m, at->line, at->column,
                                    "how often this loop runs cannot be counted exactly",
                                    "counted as the maximum over work-items");
        return;
    }
    gcal_sets_nest_note(m->nest, at->line, at->column,
                        by_item ? "how often this condition holds cannot be counted "
                                  "exactly: counted as if it always did"
                        : at->kind == GCAL_SETS_SCOPE_LOOP
                            ? "how often sub-groups run this loop cannot be counted "
                              "exactly: estimated from all their work-items"
                            : "how many sub-groups reach this cannot be counted "
                              "exactly: counted as if all did");
    if (m->n_inexact < GCAL_COUNT_MOST_ADVICE)
        m->inexact[m->n_inexact++] =
            (struct gcal_count_inexact){ scope, mode, at->line, at->column };
}

void gcal_count_builder_advise(struct gcal_count_builder *m)
{
    const char *advice;

    if (!m->n_inexact || m->failed)
        return;
    gcal_sets_nest_renew_budget(m->nest);
    for (size_t i = 0; i < m->n_inexact; i++) {
        const struct gcal_count_inexact *x = &m->inexact[i];

        if ((advice = gcal_count_advice(m, x->scope, x->mode)))
            gcal_sets_nest_note(m->nest, x->line, x->column,
                                gcal_poly_format(m->c, "for exact counts, %s", advice));
    }
}

static void explain(struct gcal_count_builder *m, const struct gcal_sets_scope *scope,
                    enum gcal_sets_count_mode mode)
{
    static const char by_group[] =
        "only some work-items of a group reach this: all sub-groups of the group are "
        "counted, as their size is not given";
    static const char by_one[] =
        "work-items reach this differently often: the maximum is counted";
    const struct gcal_sets_scope *at, *known = gcal_count_known_scope(m, scope);
    bool by_item;

    if (!known || is_exact(m, known, mode))
        return;
    by_item = !is_exact(m, known, GCAL_SETS_COUNT_WORK_ITEMS);
    at = outermost_inexact(m, known, by_item ? GCAL_SETS_COUNT_WORK_ITEMS : mode);
    if (!by_item && mode != GCAL_SETS_COUNT_SUB_GROUPS) {
        gcal_sets_nest_note(m->nest, at->line, at->column,
                            mode == GCAL_SETS_COUNT_BUSIEST ? by_one : by_group);
        return;
    }
    what_is_inexact(m, known, at, by_item ? GCAL_SETS_COUNT_WORK_ITEMS : mode);
}

static void fail_without_closed_form(struct gcal_count_builder *m,
                                     const struct gcal_sets_scope *scope)
{
    m->failed = true;
    if (gcal_poly_context_check(m->c, m->err) < 0)
        return;
    if (m->nest->is_exhausted) {
        gcal_error_set(m->err, GCAL_EINPUT, "%s:%d:%d: counting this takes too long",
                       m->nest->file, scope ? scope->line : 1, scope ? scope->column : 1);
        return;
    }
    while (scope && scope->kind != GCAL_SETS_SCOPE_LOOP && scope->parent)
        scope = scope->parent;
    if (!scope || scope->kind != GCAL_SETS_SCOPE_LOOP) {
        gcal_error_set(m->err, GCAL_EINPUT,
                       "%s:%d:%d: the total number of executions has no closed form",
                       m->nest->file, scope ? scope->line : 1, scope ? scope->column : 1);
        return;
    }
    gcal_error_set(
        m->err, GCAL_EINPUT,
        "%s:%d:%d: the total number of iterations of the loop over '%s' has no "
        "closed form: its trips may be negative for some work-items or outer "
        "iterations: guard it, or give numbers for its sizes (--at)",
        m->nest->file, scope->line, scope->column,
        gcal_poly_atom_name(m->c, scope->loop));
}

bool gcal_count_is_within(const struct gcal_sets_scope *scope, unsigned loop)
{
    for (; scope; scope = scope->parent)
        if (scope->kind == GCAL_SETS_SCOPE_LOOP && scope->loop == loop)
            return true;
    return false;
}

bool gcal_count_has_barrier(const struct gcal_sets_nest *nest, unsigned loop)
{
    for (size_t i = 0; i < nest->n_barriers; i++)
        if (gcal_count_is_within(nest->barriers[i].scope, loop))
            return true;
    return false;
}

const struct gcal_sets_scope *
gcal_count_innermost_loop(const struct gcal_sets_scope *scope)
{
    while (scope && scope->kind != GCAL_SETS_SCOPE_LOOP)
        scope = scope->parent;
    return scope;
}

struct gcal_count_counter gcal_count_counter_zero(struct gcal_count_builder *m)
{
    return (struct gcal_count_counter){ .count = gcal_poly_integer(m->c, 0) };
}

void gcal_count_counter_add(struct gcal_count_builder *m,
                            struct gcal_count_counter *counter,
                            const struct gcal_sets_scope *scope,
                            enum gcal_sets_count_mode mode, int64_t times)
{
    bool estimated = false;
    const struct gcal_poly *p;

    if (m->failed)
        return;
    if (!(p = gcal_sets_scope_count(m->nest, scope, mode, &estimated))) {
        fail_without_closed_form(m, scope);
        return;
    }
    counter->count =
        gcal_poly_add(m->c, counter->count, gcal_poly_scale(m->c, p, times, 1));
    if (!estimated || !p->n_terms)
        return;
    counter->estimated = true;
    if (is_explained(m, scope, mode))
        return;
    if (m->nest->error > 0)
        gcal_count_builder_note_sample(m, scope->line, scope->column);
    else
        explain(m, scope, mode);
}

enum gcal_sets_count_mode gcal_count_sub_group_mode(const struct gcal_count_builder *m)
{
    return m->request->sub_group_size ? GCAL_SETS_COUNT_SUB_GROUPS
                                      : GCAL_SETS_COUNT_GROUPS;
}

bool gcal_count_is_first(const struct gcal_sets_nest *nest, size_t number,
                         bool (*same)(const struct gcal_sets_access_event *,
                                      const struct gcal_sets_access_event *))
{
    for (size_t i = 0; i < number; i++)
        if (same(&nest->accesses[i], &nest->accesses[number]))
            return false;
    return true;
}
