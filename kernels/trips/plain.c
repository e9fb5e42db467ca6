/* plain.c - the trip count of a loop: the first iteration whose condition fails */
#include "kernels/trips/private.h"

/* The terms of p that contain dimensions. */
static const struct gcal_poly *varying_part(const struct gcal_trips_loop *l,
                                            const struct gcal_poly *p)
{
    const struct gcal_poly *part = gcal_poly_integer(l->c, 0), *one;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];

        one = gcal_poly_rational(l->c, t->num, t->den);
        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                one = gcal_poly_mul(l->c, one,
                                    gcal_poly_from_atom(l->c, t->factors[j].atom));
        if (gcal_poly_has_dimension(l->c, one))
            part = gcal_poly_add(l->c, part, one);
    }
    return part;
}

/* q where length = q*step - r and 0 <= r < step; NULL when that is not proven. */
static const struct gcal_poly *whole_trips(const struct gcal_trips_loop *l,
                                           const struct gcal_poly *length,
                                           const struct gcal_poly *step)
{
    const struct gcal_poly *less = varying_part(l, length), *one, *trips;

    one = gcal_poly_integer(l->c, 1);
    trips = gcal_poly_divide(l->c, gcal_poly_sub(l->c, length, less), step);
    less = gcal_poly_scale(l->c, less, -1, 1);
    if (!trips || !gcal_poly_is_integral(trips) ||
        !gcal_sets_scope_implies(l->c, l->scope, less) ||
        !gcal_sets_scope_implies(
            l->c, l->scope, gcal_poly_sub(l->c, gcal_poly_sub(l->c, step, one), less)))
        return NULL;
    return trips;
}

/* The factors that all terms of p and q have in common, without dimensions. */
static const struct gcal_poly *common_factor(const struct gcal_trips_loop *l,
                                             const struct gcal_poly *p,
                                             const struct gcal_poly *q)
{
    const struct gcal_poly *factor = gcal_poly_integer(l->c, 1), *atom, *larger;

    for (size_t j = 0; q->n_terms && j < q->terms[0].n_factors; j++) {
        atom = gcal_poly_from_atom(l->c, q->terms[0].factors[j].atom);
        larger = gcal_poly_mul(l->c, factor, atom);
        if (!gcal_poly_has_dimension(l->c, atom) && gcal_poly_divide(l->c, p, larger) &&
            gcal_poly_divide(l->c, q, larger))
            factor = larger;
    }
    return factor;
}

/* ceil(length/step) for steps of at least 1, a number or without dimensions; NULL where
 * that has no closed form.  Below 0 it may be any negative number.
 */
static const struct gcal_poly *ceil_trips(const struct gcal_trips_loop *l,
                                          const struct gcal_poly *length,
                                          const struct gcal_poly *step)
{
    const struct gcal_poly *one = gcal_poly_integer(l->c, 1), *rounded, *trips;
    const struct gcal_poly *less = gcal_poly_scale(l->c, varying_part(l, length), -1, 1);

    rounded = gcal_poly_add(l->c, length, gcal_poly_sub(l->c, step, one));
    if ((trips = whole_trips(l, length, step)))
        return trips;
    trips = gcal_poly_floor_quotient(l->c, rounded, step);
    /* starts that differ by less than a step are one sequence with the iterations */
    if (gcal_sets_scope_implies(l->c, l->scope, rounded) ||
        (less->n_terms && gcal_sets_scope_implies(l->c, l->scope, less) &&
         gcal_sets_scope_implies(
             l->c, l->scope, gcal_poly_sub(l->c, gcal_poly_sub(l->c, step, one), less))))
        return trips;
    return gcal_poly_has_dimension(l->c, length)
               ? NULL
               : gcal_poly_max(l->c, trips, gcal_poly_integer(l->c, 0));
}

/* The trips while length - v*step > 0, ceil(length/step), for a symbolic step. */
static const struct gcal_poly *divided_trips(const struct gcal_trips_loop *l,
                                             const struct gcal_poly *length,
                                             const struct gcal_poly *step)
{
    const struct gcal_poly *one = gcal_poly_integer(l->c, 1), *factor;
    int64_t k;

    if (gcal_poly_has_dimension(l->c, step) ||
        (!gcal_poly_is_size(l->c, step) &&
         !gcal_poly_is_nonnegative(l->c, gcal_poly_sub(l->c, step, one))))
        return NULL;
    factor = common_factor(l, length, step);
    length = gcal_poly_divide(l->c, length, factor);
    step = gcal_poly_divide(l->c, step, factor);
    if (!gcal_poly_is_constant(step, &k))
        return ceil_trips(l, length, step);
    return gcal_poly_floor(
        l->c, gcal_poly_add(l->c, length, gcal_poly_integer(l->c, k - 1)), k);
}

/* The reason for an error. */
static const char *why_not_divided(const struct gcal_trips_loop *l,
                                   const struct gcal_poly *step)
{
    const struct gcal_poly *least = gcal_poly_sub(l->c, step, gcal_poly_integer(l->c, 1));
    const char *text = gcal_poly_text(l->c, step);

    if (gcal_poly_has_dimension(l->c, step))
        return gcal_poly_format(l->c,
                                "it steps by '%s', which differs between work-items or "
                                "iterations",
                                text);
    if (!gcal_poly_is_size(l->c, step) && !gcal_poly_is_nonnegative(l->c, least))
        return gcal_poly_format(l->c, "it steps by '%s', which may be below 1", text);
    return gcal_poly_format(l->c,
                            "it steps by '%s', and its starts may differ by more, or be "
                            "more than a step behind its bound",
                            text);
}

/* The trips while p >= 0, for p linear in v. */
static bool nonnegative_trips(const struct gcal_trips_loop *l, const struct gcal_poly *p,
                              unsigned v, struct gcal_trips_count *count,
                              const char **why)
{
    const struct gcal_poly *step, *start;
    int64_t k;

    count->lasts = true;
    if (!gcal_poly_contains(l->c, p, v)) {
        count->guard = gcal_sets_condition_nonnegative(l->c, p);
        count->rises = true;
        return true;
    }
    if (gcal_poly_contains_nested(l->c, p, v) || gcal_poly_degree(p, v) != 1) {
        *why = "its condition is not affine in what changes";
        return false;
    }
    step = gcal_poly_coefficient(l->c, p, v, 1);
    start = gcal_poly_coefficient(l->c, p, v, 0);
    if (gcal_poly_is_nonnegative(l->c, step)) {
        /* once it holds, it holds in all later iterations */
        count->guard = gcal_sets_condition_nonnegative(l->c, start);
        count->rises = true;
        count->lasts = false;
        return true;
    }
    if (!gcal_poly_is_constant(step, &k)) {
        const struct gcal_poly *down = gcal_poly_scale(l->c, step, -1, 1);

        count->trips = divided_trips(
            l, gcal_poly_add(l->c, start, gcal_poly_integer(l->c, 1)), down);
        if (count->trips)
            return true;
        *why = why_not_divided(l, down);
        return false;
    }
    count->trips =
        gcal_poly_add(l->c, gcal_poly_floor(l->c, start, -k), gcal_poly_integer(l->c, 1));
    return true;
}

/* The trips while p != 0.  A loop that steps over its bound never ends, so the distance
 * is assumed to be a multiple of the step, in its direction.
 */
static bool unequal_trips(const struct gcal_trips_loop *l, const struct gcal_poly *p,
                          unsigned v, struct gcal_trips_count *count, const char **why)
{
    const struct gcal_poly *step, *distance;
    int64_t k;

    count->lasts = false;
    if (!gcal_poly_contains(l->c, p, v)) {
        count->guard = gcal_sets_condition_not(l->c, gcal_sets_condition_zero(l->c, p));
        count->lasts = count->rises = true;
        return true;
    }
    step = gcal_poly_coefficient(l->c, p, v, 1);
    if (gcal_poly_contains_nested(l->c, p, v) || gcal_poly_degree(p, v) != 1 ||
        !gcal_poly_is_constant(step, &k)) {
        *why = "its condition is not affine in what changes";
        return false;
    }
    distance = gcal_poly_coefficient(l->c, p, v, 0);
    distance = k > 0 ? gcal_poly_scale(l->c, distance, -1, k)
                     : gcal_poly_scale(l->c, distance, 1, -k);
    if (!gcal_poly_is_integral(distance) ||
        gcal_poly_is_nonnegative(
            l->c, gcal_poly_sub(l->c, gcal_poly_integer(l->c, -1), distance))) {
        *why = "it may step over its bound and never end: use '<'";
        return false;
    }
    count->trips = distance;
    return true;
}

static bool find(const struct gcal_trips_loop *l,
                 const struct gcal_sets_condition *condition, bool negated, unsigned v,
                 struct gcal_trips_count *count, const char **why);

static const char alternatives[] = "its condition has alternatives";

/* While both conditions hold: the smaller trip count. */
static bool trips_of_both(const struct gcal_trips_loop *l,
                          const struct gcal_trips_count *a,
                          const struct gcal_trips_count *b,
                          struct gcal_trips_count *count, const char **why)
{
    /* the other one may end the loop where this does not */
    if ((a->ends && b->trips) || (b->ends && a->trips)) {
        *why = alternatives;
        return false;
    }
    count->ends = a->ends || b->ends;
    count->lasts = a->lasts && b->lasts;
    count->rises = a->rises && b->rises;
    count->trips = a->trips && b->trips ? gcal_poly_min(l->c, a->trips, b->trips)
                   : a->trips           ? a->trips
                                        : b->trips;
    count->guard = a->guard && b->guard
                       ? gcal_sets_condition_and(l->c, a->guard, b->guard)
                   : a->guard ? a->guard
                              : b->guard;
    return true;
}

/* Returns whether it holds in all iterations after one in which it holds. */
static bool is_rising(const struct gcal_trips_count *a)
{
    return !a->trips && a->rises;
}

/* While either condition holds: the larger trip count, if each ends once; and the trip
 * count of one if the other, once it holds, never ends.
 */
static bool trips_of_either(const struct gcal_trips_loop *l,
                            const struct gcal_trips_count *a,
                            const struct gcal_trips_count *b,
                            struct gcal_trips_count *count, const char **why)
{
    *why = alternatives;
    count->ends = a->ends || b->ends;
    if (is_rising(a) && is_rising(b)) {
        count->rises = true;
        count->lasts = a->lasts && b->lasts;
        count->guard = !a->guard || !b->guard
                           ? NULL
                           : gcal_sets_condition_or(l->c, a->guard, b->guard);
        return true;
    }
    if (is_rising(b))
        return trips_of_either(l, b, a, count, why);
    if (is_rising(a) && b->trips && !b->guard) {
        *count = *b;
        count->ends = true;
        count->lasts = false;
        return true;
    }
    if (!a->trips || !b->trips || a->guard || b->guard || !a->lasts || !b->lasts)
        return false;
    count->lasts = true;
    count->trips = gcal_poly_max(l->c, a->trips, b->trips);
    return true;
}

static bool find(const struct gcal_trips_loop *l,
                 const struct gcal_sets_condition *condition, bool negated, unsigned v,
                 struct gcal_trips_count *count, const char **why)
{
    struct gcal_trips_count a = { 0 }, b = { 0 };
    const struct gcal_poly *zero;
    int decided = gcal_sets_condition_decide(l->c, condition);

    if (decided >= 0 && decided != negated) { /* always true */
        count->lasts = count->rises = true;
        return true;
    }
    if (condition->kind == GCAL_SETS_CONDITION_NOT)
        return find(l, condition->a, !negated, v, count, why);
    /* The negation of one with a min or max is several conditions. */
    if (condition->kind == GCAL_SETS_CONDITION_NONNEGATIVE && negated)
        return find(l, gcal_sets_condition_not(l->c, condition), false, v, count, why);
    if (condition->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return nonnegative_trips(l, condition->p, v, count, why);
    if (negated && (zero = gcal_sets_condition_find_zero(l->c, condition)))
        return unequal_trips(l, zero, v, count, why);
    if (condition->kind != GCAL_SETS_CONDITION_AND &&
        condition->kind != GCAL_SETS_CONDITION_OR) {
        *why = "it depends on earlier iterations";
        return false;
    }
    if (!find(l, condition->a, negated, v, &a, why) ||
        !find(l, condition->b, negated, v, &b, why))
        return false;
    return (condition->kind == GCAL_SETS_CONDITION_AND) != negated
               ? trips_of_both(l, &a, &b, count, why)
               : trips_of_either(l, &a, &b, count, why);
}

bool gcal_trips_find_plain(const struct gcal_trips_loop *l,
                           const struct gcal_sets_condition *condition, unsigned v,
                           struct gcal_trips_count *count, const char **why)
{
    *count = (struct gcal_trips_count){ 0 };
    return find(l, condition, false, v, count, why);
}
