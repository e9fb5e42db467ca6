/* trips.c - the trip count of a loop, whose condition may have alternatives
 *
 * "(c and v < a) or (not c and v < b)", of a bound that depends on c: the condition is
 * split by what does not change in the loop, and each case has its own trip count.
 */
#include "kernels/trips/private.h"

enum { MOST_SPLITS = 4, MOST_CASES = 8 };

struct cases {
    size_t n;
    struct gcal_trips_count all[MOST_CASES];
    bool ends;
};

static const struct gcal_sets_condition *truth(const struct gcal_trips_loop *l,
                                               bool holds)
{
    return gcal_sets_condition_nonnegative(l->c, gcal_poly_integer(l->c, holds ? 0 : -1));
}

/* An undecided p >= 0 that does not depend on 'v', with alternatives around it. */
static const struct gcal_poly *find_splitting(const struct gcal_trips_loop *l,
                                              const struct gcal_sets_condition *x,
                                              unsigned v)
{
    const struct gcal_poly *p;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_poly_contains(l->c, x->p, v) ||
                       gcal_sets_condition_decide(l->c, x) >= 0
                   ? NULL
                   : x->p;
    if (x->kind == GCAL_SETS_CONDITION_EARLIER)
        return NULL;
    if ((p = find_splitting(l, x->a, v)))
        return p;
    return x->b ? find_splitting(l, x->b, v) : NULL;
}

/* 'x' where 'given' >= 0. */
static const struct gcal_sets_condition *restrict_to(const struct gcal_trips_loop *l,
                                                     const struct gcal_sets_condition *x,
                                                     const struct gcal_poly *given)
{
    const struct gcal_sets_condition *a, *b;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE) {
        if (gcal_poly_is_nonnegative_given(l->c, given, x->p))
            return truth(l, true);
        return gcal_poly_is_nonnegative_given(
                   l->c, given, gcal_poly_sub(l->c, gcal_poly_integer(l->c, -1), x->p))
                   ? truth(l, false)
                   : x;
    }
    if (x->kind == GCAL_SETS_CONDITION_EARLIER)
        return x;
    a = restrict_to(l, x->a, given);
    if (x->kind == GCAL_SETS_CONDITION_NOT)
        return gcal_sets_condition_not(l->c, a);
    b = restrict_to(l, x->b, given);
    return x->kind == GCAL_SETS_CONDITION_AND ? gcal_sets_condition_and(l->c, a, b)
                                              : gcal_sets_condition_or(l->c, a, b);
}

static const struct gcal_sets_condition *both(const struct gcal_trips_loop *l,
                                              const struct gcal_sets_condition *a,
                                              const struct gcal_sets_condition *b)
{
    return a && b ? gcal_sets_condition_and(l->c, a, b) : a ? a : b;
}

/* Adds the trips where 'guard' holds, which are endless without 'one'.trips. */
static bool add_case(const struct gcal_trips_loop *l, struct cases *cases,
                     const struct gcal_trips_count *one,
                     const struct gcal_sets_condition *guard)
{
    guard = both(l, guard, one->guard);
    if (guard && gcal_sets_condition_decide(l->c, guard) == 0)
        return true;
    cases->ends = cases->ends || one->ends || !one->trips;
    if (!one->trips)
        return true;
    if (cases->n == MOST_CASES)
        return false;
    cases->all[cases->n] = *one;
    cases->all[cases->n++].guard = guard;
    return true;
}

static bool split(const struct gcal_trips_loop *l,
                  const struct gcal_sets_condition *condition,
                  const struct gcal_sets_condition *guard, unsigned v, int splits,
                  struct cases *cases, const char **why)
{
    struct gcal_trips_count one;
    const struct gcal_sets_condition *holds;
    const struct gcal_poly *p;

    if (gcal_trips_find_plain(l, condition, v, &one, why))
        return add_case(l, cases, &one, guard);
    if (!splits || !(p = find_splitting(l, condition, v)))
        return false;
    for (int side = 0; side < 2; side++) {
        holds = gcal_sets_condition_nonnegative(l->c, p);
        if (!split(l, restrict_to(l, condition, p), both(l, guard, holds), v, splits - 1,
                   cases, why))
            return false;
        p = gcal_poly_sub(l->c, gcal_poly_integer(l->c, -1), p);
    }
    return true;
}

/* Returns whether iteration 'v' runs in case 'one'. */
static const struct gcal_sets_condition *runs(const struct gcal_trips_loop *l,
                                              const struct gcal_trips_count *one,
                                              const struct gcal_poly *v)
{
    const struct gcal_poly *left = gcal_poly_sub(
        l->c, gcal_poly_sub(l->c, one->trips, gcal_poly_integer(l->c, 1)), v);

    return both(l, one->guard, gcal_sets_condition_nonnegative(l->c, left));
}

static void join(const struct gcal_trips_loop *l, const struct cases *cases, unsigned v,
                 struct gcal_trips_count *count)
{
    const struct gcal_poly *iteration = gcal_poly_from_atom(l->c, v);
    const struct gcal_sets_condition *one;

    *count = (struct gcal_trips_count){ .trips = gcal_poly_integer(l->c, 0) };
    if (cases->n)
        *count = cases->all[0];
    count->ends = cases->ends;
    if (cases->n < 2)
        return;
    count->guard = NULL;
    count->v = v;
    for (size_t i = 0; i < cases->n; i++) {
        one = runs(l, &cases->all[i], iteration);
        count->trips = gcal_poly_max(l->c, count->trips, cases->all[i].trips);
        count->within =
            count->within ? gcal_sets_condition_or(l->c, count->within, one) : one;
    }
}

bool gcal_trips_find(const struct gcal_trips_loop *l,
                     const struct gcal_sets_condition *condition, unsigned v,
                     struct gcal_trips_count *count, const char **why)
{
    struct cases cases = { .n = 0 };
    const char *first;

    if (gcal_trips_find_plain(l, condition, v, count, why))
        return true;
    first = *why;
    if (!split(l, condition, NULL, v, MOST_SPLITS, &cases, why)) {
        *why = first;
        return false;
    }
    join(l, &cases, v, count);
    return true;
}

/* ---- iterations ---- */

struct at_iteration {
    struct gcal_poly_context *c;
    unsigned v;
    const struct gcal_poly *value;
};

static const struct gcal_poly *put(const struct gcal_poly *p, void *data)
{
    const struct at_iteration *at = data;

    return gcal_poly_substitute(at->c, p, at->v, at->value);
}

const struct gcal_sets_condition *
gcal_trips_condition_at(struct gcal_poly_context *c,
                        const struct gcal_sets_condition *condition, unsigned v,
                        const struct gcal_poly *value)
{
    struct at_iteration at = { c, v, value };

    return gcal_sets_condition_map(c, condition, put, &at);
}

void gcal_trips_after(const struct gcal_trips_loop *l, struct gcal_trips_count *count,
                      unsigned v)
{
    const struct gcal_poly *one = gcal_poly_integer(l->c, 1),
                           *zero = gcal_poly_integer(l->c, 0),
                           *iteration = gcal_poly_from_atom(l->c, v), *before;
    const struct gcal_sets_condition *first, *later;

    before = gcal_poly_sub(l->c, iteration, one);
    later = count->within  ? gcal_trips_condition_at(l->c, count->within, v, before)
            : count->guard ? runs(l, count, before)
                           : NULL;
    count->trips = gcal_poly_add(l->c, gcal_poly_max(l->c, count->trips, zero), one);
    count->guard = NULL;
    if (!later)
        return;
    first =
        gcal_sets_condition_nonnegative(l->c, gcal_poly_scale(l->c, iteration, -1, 1));
    count->v = v;
    count->within = gcal_sets_condition_or(l->c, first, later);
}
