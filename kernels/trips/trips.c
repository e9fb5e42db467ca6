/* trip_cases.c - the trip count of a loop whose condition has alternatives
 *
 * "(c and v < a) or (not c and v < b)", of a bound that depends on c: the condition is
 * split by what does not change in the loop, and each case has its own trip count.
 */
#include "kernels/walk/private.h"

enum { MOST_SPLITS = 4, MOST_CASES = 8 };

struct cases {
    size_t n;
    struct gcal_walk_trip_count all[MOST_CASES];
    bool ends;
};

static const struct gcal_sets_condition *truth(struct gcal_walk *w, bool holds)
{
    return gcal_sets_condition_nonnegative(w->c, gcal_poly_integer(w->c, holds ? 0 : -1));
}

/* An undecided p >= 0 that does not depend on 'v', with alternatives around it. */
static const struct gcal_poly *
find_splitting(struct gcal_walk *w, const struct gcal_sets_condition *x, unsigned v)
{
    const struct gcal_poly *p;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_poly_contains(w->c, x->p, v) ||
                       gcal_sets_condition_decide(w->c, x) >= 0
                   ? NULL
                   : x->p;
    if (x->kind == GCAL_SETS_CONDITION_EARLIER)
        return NULL;
    if ((p = find_splitting(w, x->a, v)))
        return p;
    return x->b ? find_splitting(w, x->b, v) : NULL;
}

/* 'x' where 'given' >= 0. */
static const struct gcal_sets_condition *restrict_to(struct gcal_walk *w,
                                                     const struct gcal_sets_condition *x,
                                                     const struct gcal_poly *given)
{
    const struct gcal_sets_condition *a, *b;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE) {
        if (gcal_poly_is_nonnegative_given(w->c, given, x->p))
            return truth(w, true);
        return gcal_poly_is_nonnegative_given(
                   w->c, given, gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), x->p))
                   ? truth(w, false)
                   : x;
    }
    if (x->kind == GCAL_SETS_CONDITION_EARLIER)
        return x;
    a = restrict_to(w, x->a, given);
    if (x->kind == GCAL_SETS_CONDITION_NOT)
        return gcal_sets_condition_not(w->c, a);
    b = restrict_to(w, x->b, given);
    return x->kind == GCAL_SETS_CONDITION_AND ? gcal_sets_condition_and(w->c, a, b)
                                              : gcal_sets_condition_or(w->c, a, b);
}

static const struct gcal_sets_condition *both(struct gcal_walk *w,
                                              const struct gcal_sets_condition *a,
                                              const struct gcal_sets_condition *b)
{
    return a && b ? gcal_sets_condition_and(w->c, a, b) : a ? a : b;
}

/* Adds the trips where 'guard' holds, which are endless without 'one'.trips. */
static bool add_case(struct gcal_walk *w, struct cases *cases,
                     const struct gcal_walk_trip_count *one,
                     const struct gcal_sets_condition *guard)
{
    guard = both(w, guard, one->guard);
    if (guard && gcal_sets_condition_decide(w->c, guard) == 0)
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

static bool split(struct gcal_walk *w, const struct gcal_sets_condition *condition,
                  const struct gcal_sets_condition *guard, unsigned v, int splits,
                  struct cases *cases, const char **why)
{
    struct gcal_walk_trip_count one;
    const struct gcal_sets_condition *holds;
    const struct gcal_poly *p;

    if (gcal_walk_trip_count_plain(w, condition, v, &one, why))
        return add_case(w, cases, &one, guard);
    if (!splits || !(p = find_splitting(w, condition, v)))
        return false;
    for (int side = 0; side < 2; side++) {
        holds = gcal_sets_condition_nonnegative(w->c, p);
        if (!split(w, restrict_to(w, condition, p), both(w, guard, holds), v, splits - 1,
                   cases, why))
            return false;
        p = gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), p);
    }
    return true;
}

/* Whether iteration 'v' runs in case 'one'. */
static const struct gcal_sets_condition *runs(struct gcal_walk *w,
                                              const struct gcal_walk_trip_count *one,
                                              const struct gcal_poly *v)
{
    const struct gcal_poly *left = gcal_poly_sub(
        w->c, gcal_poly_sub(w->c, one->trips, gcal_poly_integer(w->c, 1)), v);

    return both(w, one->guard, gcal_sets_condition_nonnegative(w->c, left));
}

static void join(struct gcal_walk *w, const struct cases *cases, unsigned v,
                 struct gcal_walk_trip_count *count)
{
    const struct gcal_poly *iteration = gcal_poly_from_atom(w->c, v);
    const struct gcal_sets_condition *one;

    *count = (struct gcal_walk_trip_count){ .trips = gcal_poly_integer(w->c, 0) };
    if (cases->n)
        *count = cases->all[0];
    count->ends = cases->ends;
    if (cases->n < 2)
        return;
    count->guard = NULL;
    count->v = v;
    for (size_t i = 0; i < cases->n; i++) {
        one = runs(w, &cases->all[i], iteration);
        count->trips = gcal_poly_max(w->c, count->trips, cases->all[i].trips);
        count->within =
            count->within ? gcal_sets_condition_or(w->c, count->within, one) : one;
    }
}

bool gcal_walk_trip_count_find(struct gcal_walk *w,
                               const struct gcal_sets_condition *condition, unsigned v,
                               struct gcal_walk_trip_count *count, const char **why)
{
    struct cases cases = { .n = 0 };
    const char *first;

    if (gcal_walk_trip_count_plain(w, condition, v, count, why))
        return true;
    first = *why;
    if (!split(w, condition, NULL, v, MOST_SPLITS, &cases, why)) {
        *why = first;
        return false;
    }
    join(w, &cases, v, count);
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
gcal_walk_condition_at(struct gcal_walk *w, const struct gcal_sets_condition *condition,
                       unsigned v, const struct gcal_poly *value)
{
    struct at_iteration at = { w->c, v, value };

    return gcal_sets_condition_map(w->c, condition, put, &at);
}

void gcal_walk_trip_count_after(struct gcal_walk *w, struct gcal_walk_trip_count *count,
                                unsigned v)
{
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1),
                           *zero = gcal_poly_integer(w->c, 0),
                           *iteration = gcal_poly_from_atom(w->c, v), *before;
    const struct gcal_sets_condition *first, *later;

    before = gcal_poly_sub(w->c, iteration, one);
    later = count->within  ? gcal_walk_condition_at(w, count->within, v, before)
            : count->guard ? runs(w, count, before)
                           : NULL;
    count->trips = gcal_poly_add(w->c, gcal_poly_max(w->c, count->trips, zero), one);
    count->guard = NULL;
    if (!later)
        return;
    first =
        gcal_sets_condition_nonnegative(w->c, gcal_poly_scale(w->c, iteration, -1, 1));
    count->v = v;
    count->within = gcal_sets_condition_or(w->c, first, later);
}
