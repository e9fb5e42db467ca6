/* project.c - projection of a condition: "it holds for some value of a dimension v"
 *
 * Each constraint bounds v with a constant coefficient.  A value exists where every lower
 * bound, rounded up, is at most every upper bound, rounded down (necessary and sufficient
 * for integers, as each bound is one of v alone).  Alternatives are projected one by one.
 */
#include "kernels/trips/trips.h"

enum { MOST_BOUNDS = 12, MOST_CASES = 64 };

/* A conjunction of p >= 0. */
struct conjunction {
    size_t n;
    const struct gcal_poly *p[MOST_BOUNDS];
};

struct cases {
    size_t n;
    struct conjunction all[MOST_CASES];
};

static bool split(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                  bool negated, const struct cases *before, struct cases *after);

/* Adds a bound to each case. */
static bool add_bound(const struct cases *before, const struct gcal_poly *p,
                      struct cases *after)
{
    *after = *before;
    for (size_t i = 0; i < after->n; i++) {
        if (after->all[i].n == MOST_BOUNDS)
            return false;
        after->all[i].p[after->all[i].n++] = p;
    }
    return true;
}

static bool split(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                  bool negated, const struct cases *before, struct cases *after)
{
    struct cases *between;

    switch (a->kind) {
    case GCAL_SETS_CONDITION_NOT:
        return split(c, a->a, !negated, before, after);
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        if (negated)
            a = gcal_sets_condition_not(c, a);
        return add_bound(before, a->p, after);
    case GCAL_SETS_CONDITION_AND:
    case GCAL_SETS_CONDITION_OR:
        if ((a->kind == GCAL_SETS_CONDITION_OR) != negated) {
            struct cases *second = gcal_poly_alloc(c, sizeof(*second));

            if (!second || !split(c, a->a, negated, before, after) ||
                !split(c, a->b, negated, before, second) ||
                after->n + second->n > MOST_CASES)
                return false;
            for (size_t i = 0; i < second->n; i++)
                after->all[after->n++] = second->all[i];
            return true;
        }
        between = gcal_poly_alloc(c, sizeof(*between));
        return between && split(c, a->a, negated, before, between) &&
               split(c, a->b, negated, between, after);
    default:
        return false;
    }
}

struct range {
    size_t n_low, n_high;
    const struct gcal_poly *low[MOST_BOUNDS + 1], *high[MOST_BOUNDS + 1];
    const struct gcal_sets_condition *others;
};

/* all = all and p >= 0 */
static void add_condition(struct gcal_poly_context *c,
                          const struct gcal_sets_condition **all,
                          const struct gcal_poly *p)
{
    const struct gcal_sets_condition *one = gcal_sets_condition_nonnegative(c, p);

    *all = *all ? gcal_sets_condition_and(c, *all, one) : one;
}

/* k*v + rest >= 0 as a bound of v. */
static bool add_range(struct gcal_poly_context *c, struct range *range,
                      const struct gcal_poly *p, unsigned v)
{
    const struct gcal_poly *rest;
    int64_t k;

    if (!gcal_poly_contains(c, p, v)) {
        add_condition(c, &range->others, p);
        return true;
    }
    if (gcal_poly_contains_nested(c, p, v) || gcal_poly_degree(p, v) != 1 ||
        !gcal_poly_is_constant(gcal_poly_coefficient(c, p, v, 1), &k))
        return false;
    rest = gcal_poly_coefficient(c, p, v, 0);
    if (k < 0)
        range->high[range->n_high++] = gcal_poly_floor(c, rest, -k);
    else /* ceil(-rest/k) */
        range->low[range->n_low++] =
            gcal_poly_scale(c, gcal_poly_floor(c, rest, k), -1, 1);
    return true;
}

static const struct gcal_sets_condition *
project_conjunction(struct gcal_poly_context *c, const struct conjunction *conjunction,
                    unsigned v, const struct gcal_poly *last)
{
    struct range range = { 1, 1, { gcal_poly_integer(c, 0) }, { last }, NULL };

    for (size_t i = 0; i < conjunction->n; i++)
        if (!add_range(c, &range, conjunction->p[i], v))
            return NULL;
    for (size_t i = 0; i < range.n_low; i++)
        for (size_t j = 0; j < range.n_high; j++)
            add_condition(c, &range.others,
                          gcal_poly_sub(c, range.high[j], range.low[i]));
    return range.others;
}

const struct gcal_sets_condition *gcal_trips_project(struct gcal_poly_context *c,
                                                     const struct gcal_sets_condition *a,
                                                     unsigned v,
                                                     const struct gcal_poly *last)
{
    struct cases *start = gcal_poly_alloc(c, sizeof(*start));
    struct cases *cases = gcal_poly_alloc(c, sizeof(*cases));
    const struct gcal_sets_condition *any = NULL, *one;

    if (!start || !cases)
        return NULL;
    start->n = 1;
    start->all[0].n = 0;
    if (!split(c, a, false, start, cases))
        return NULL;
    for (size_t i = 0; i < cases->n; i++) {
        if (!(one = project_conjunction(c, &cases->all[i], v, last)))
            return NULL;
        any = any ? gcal_sets_condition_or(c, any, one) : one;
    }
    return any;
}
