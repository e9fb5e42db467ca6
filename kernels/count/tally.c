/* count_tally.c - how often something happens, and what to say where that is no exact
 * number
 */
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/count/private.h"

void gcal_maker_estimate(struct gcal_maker *m, int line, int column, const char *what,
                         const char *done)
{
    if (m->failed)
        return;
    if (m->request->allow_estimates) {
        gcal_nest_note(m->nest, line, column,
                       gcal_polys_format(m->c, "%s: %s", what, done));
        return;
    }
    m->failed = true;
    if (gcal_polys_check(m->c, m->err) == 0)
        gcal_error_set(m->err, GCAL_EINPUT, "%s:%d:%d: %s: allow estimates to have it %s",
                       m->nest->file, line, column, what, done);
}

static bool is_exact(struct gcal_maker *m, const struct gcal_domain *domain,
                     enum gcal_count_mode mode)
{
    bool estimated = false;

    return gcal_domain_count(m->nest, domain, mode, &estimated) && !estimated;
}

const struct gcal_domain *gcal_domain_known(struct gcal_maker *m,
                                            const struct gcal_domain *domain)
{
    const struct gcal_domain *parent;
    struct gcal_domain *same;

    if (!domain)
        return NULL;
    parent = gcal_domain_known(m, domain->parent);
    if (domain->kind == GCAL_DOMAIN_UNKNOWN)
        return parent;
    if (parent == domain->parent || !(same = gcal_polys_alloc(m->c, sizeof(*same))))
        return domain;
    *same = *domain;
    same->parent = parent;
    return same;
}

/* The outermost of the loops and conditions around that is to blame. */
static const struct gcal_domain *
culprit(struct gcal_maker *m, const struct gcal_domain *domain, enum gcal_count_mode mode)
{
    while (domain->parent && !is_exact(m, domain->parent, mode))
        domain = domain->parent;
    return domain;
}

/* The same reasons hold for all that happens there. */
static bool is_explained(struct gcal_maker *m, const struct gcal_domain *domain,
                         enum gcal_count_mode mode)
{
    struct gcal_explained *moved;

    for (size_t i = 0; i < m->n_explained; i++)
        if (m->explained[i].domain == domain && m->explained[i].mode == mode)
            return true;
    moved = gcal_array_grow(m->explained, m->n_explained, &m->explained_capacity,
                            sizeof(*moved), NULL);
    if (moved) { /* without memory it is explained again */
        m->explained = moved;
        moved[m->n_explained++] = (struct gcal_explained){ domain, mode };
    }
    return false;
}

static void explain(struct gcal_maker *m, const struct gcal_domain *domain,
                    enum gcal_count_mode mode)
{
    static const char by_group[] =
        "only some work-items of a group come here: all of the group's sub-groups are "
        "counted, as their size was not given";
    static const char by_one[] =
        "work-items differ in how often they come here: the most of any is counted";
    const struct gcal_domain *at, *known = gcal_domain_known(m, domain);
    bool by_item;

    if (!known || is_exact(m, known, mode))
        return;
    by_item = !is_exact(m, known, GCAL_COUNT_WORK_ITEMS);
    at = culprit(m, known, by_item ? GCAL_COUNT_WORK_ITEMS : mode);
    if (by_item && at->kind == GCAL_DOMAIN_LOOP)
        gcal_maker_estimate(m, at->line, at->column,
                            "how often this loop runs cannot be counted exactly",
                            "counted as the most of any work-item");
    else if (by_item)
        gcal_maker_estimate(m, at->line, at->column,
                            "how often this condition holds cannot be counted exactly",
                            "counted as if it always did");
    else if (mode == GCAL_COUNT_SUB_GROUPS)
        gcal_maker_estimate(m, at->line, at->column,
                            "how many sub-groups come here cannot be counted exactly",
                            "counted as if all did");
    else
        gcal_nest_note(m->nest, at->line, at->column,
                       mode == GCAL_COUNT_ONE ? by_one : by_group);
}

/* Where the trips divide what depends on work-items by something, and how many there are
 * is no number: steps of the global size.
 */
static bool strides_by_global_size(struct gcal_maker *m, const struct gcal_poly *trips)
{
    int64_t number;

    for (size_t d = 0; d < m->nest->n_dims; d++)
        if (!gcal_poly_is_constant(m->nest->groups[d], &number) &&
            (gcal_poly_hides(m->c, trips, gcal_poly_atom(m->nest->gid[d])) ||
             gcal_poly_hides(m->c, trips, gcal_poly_atom(m->nest->lid[d]))))
            return true;
    return false;
}

static void fail_open(struct gcal_maker *m, const struct gcal_domain *domain)
{
    m->failed = true;
    if (gcal_polys_check(m->c, m->err) < 0)
        return;
    while (domain && domain->kind != GCAL_DOMAIN_LOOP && domain->parent)
        domain = domain->parent;
    if (!domain || domain->kind != GCAL_DOMAIN_LOOP) {
        gcal_error_set(m->err, GCAL_EINPUT,
                       "%s:%d:%d: how often this happens in all has no closed form",
                       m->nest->file, domain ? domain->line : 1,
                       domain ? domain->column : 1);
        return;
    }
    gcal_error_set(
        m->err, GCAL_EINPUT,
        "%s:%d:%d: how often the loop over '%s' runs in all has no closed form: %s",
        m->nest->file, domain->line, domain->column, gcal_atom_name(m->c, domain->loop),
        strides_by_global_size(m, domain->trips)
            ? "its steps follow from the global size; give --global as a number, which "
              "is how a kernel with such a loop is launched"
            : "its trips may be negative for some work-items or outer iterations; "
              "assume how the sizes compare (\"m >= n\") or guard it");
}

struct gcal_tally gcal_tally_none(struct gcal_maker *m)
{
    return (struct gcal_tally){ .count = gcal_poly_integer(m->c, 0) };
}

void gcal_tally_add(struct gcal_maker *m, struct gcal_tally *tally,
                    const struct gcal_domain *domain, enum gcal_count_mode mode,
                    int64_t times)
{
    bool estimated = false;
    const struct gcal_poly *p;

    if (m->failed)
        return;
    if (!(p = gcal_domain_count(m->nest, domain, mode, &estimated))) {
        fail_open(m, domain);
        return;
    }
    tally->count = gcal_poly_add(m->c, tally->count, gcal_poly_scale(m->c, p, times, 1));
    if (!estimated || !p->n_terms)
        return;
    tally->estimated = true;
    if (!is_explained(m, domain, mode))
        explain(m, domain, mode);
}

enum gcal_count_mode gcal_sub_group_mode(const struct gcal_maker *m)
{
    return m->request->sub_group_size ? GCAL_COUNT_SUB_GROUPS : GCAL_COUNT_GROUPS;
}
