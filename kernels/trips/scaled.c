/* trip_scaled.c - the trip count of a loop whose variable doubles or halves */
#include "kernels/walk/private.h"

struct search {
    const struct gcal_walk_induction *scaled;
    unsigned value, v; /* dimensions: of its value, of the iteration */
    const char **why;
};

static const struct gcal_poly *ceil_divide(struct gcal_walk *w, const struct gcal_poly *p,
                                           int64_t k)
{
    return gcal_poly_floor(w->c, gcal_poly_add(w->c, p, gcal_poly_integer(w->c, k - 1)),
                           k);
}

/* How often 'least' doubles, by 'twos' at a time, until it is above 'most'. */
static const struct gcal_poly *count_doublings(struct gcal_walk *w,
                                               const struct gcal_poly *least,
                                               const struct gcal_poly *most, int twos)
{
    const struct gcal_poly *ratio = gcal_poly_floor_quotient(w->c, most, least);

    return ceil_divide(w, gcal_poly_digits(w->c, ratio), twos);
}

static bool is_at_least(struct gcal_walk *w, const struct gcal_poly *p, int64_t number)
{
    return gcal_walk_is_nonnegative(
        w, gcal_poly_sub(w->c, p, gcal_poly_integer(w->c, number)));
}

static bool refuse_start(struct gcal_walk *w, const struct search *s, int64_t least)
{
    const char *name = gcal_walk_name(w, s->scaled->decl);

    *s->why = gcal_poly_format(
        w->c,
        "'%s' %s, and its start '%s' may be %s: assume '%s >= %d', or fix it as a "
        "number",
        name, s->scaled->doublings > 0 ? "doubles" : "halves",
        gcal_poly_text(w->c, s->scaled->start.p), least ? "0" : "below 0",
        gcal_poly_text(w->c, s->scaled->start.p), (int)least);
    return false;
}

/* While value <= most. */
static bool trips_up_to(struct gcal_walk *w, const struct search *s,
                        const struct gcal_poly *most, struct gcal_walk_trip_count *count)
{
    const struct gcal_poly *start = s->scaled->start.p;

    if (s->scaled->doublings < 0) {
        *s->why = "it never ends, or steps away from its bound";
        return false;
    }
    if (!is_at_least(w, start, 1) || gcal_poly_has_dimension(w->c, start))
        return refuse_start(w, s, 1);
    count->trips = count_doublings(w, start, most, s->scaled->doublings);
    return true;
}

/* While value >= least. */
static bool trips_down_to(struct gcal_walk *w, const struct search *s,
                          const struct gcal_poly *least,
                          struct gcal_walk_trip_count *count)
{
    const struct gcal_poly *start = s->scaled->start.p;

    if (s->scaled->doublings > 0 || !is_at_least(w, least, 1) ||
        gcal_poly_has_dimension(w->c, least)) {
        *s->why = "it never ends, or steps away from its bound";
        return false;
    }
    if (!is_at_least(w, start, 0))
        return refuse_start(w, s, 0);
    count->trips = count_doublings(w, least, start, -s->scaled->doublings);
    return true;
}

/* While p >= 0, for p linear in the value. */
static bool trips_while(struct gcal_walk *w, const struct search *s,
                        const struct gcal_poly *p, struct gcal_walk_trip_count *count)
{
    const struct gcal_poly *rest = gcal_poly_coefficient(w->c, p, s->value, 0);
    int64_t k;

    if (gcal_poly_contains_nested(w->c, p, s->value) ||
        gcal_poly_degree(p, s->value) != 1 || gcal_poly_contains(w->c, rest, s->v) ||
        !gcal_poly_is_constant(gcal_poly_coefficient(w->c, p, s->value, 1), &k)) {
        *s->why = "its condition is not affine in what changes";
        return false;
    }
    count->lasts = true;
    return k < 0 ? trips_up_to(w, s, gcal_poly_floor(w->c, rest, -k), count)
                 : trips_down_to(w, s,
                                 ceil_divide(w, gcal_poly_scale(w->c, rest, -1, 1), k),
                                 count);
}

/* While p != 0, for a value that reaches 0 or a bound: it steps over neither. */
static bool trips_until_zero(struct gcal_walk *w, const struct search *s,
                             const struct gcal_poly *p,
                             struct gcal_walk_trip_count *count)
{
    int64_t k;

    if (!gcal_poly_is_constant(gcal_poly_coefficient(w->c, p, s->value, 1), &k)) {
        *s->why = "its condition is not affine in what changes";
        return false;
    }
    if ((k > 0) == (s->scaled->doublings > 0))
        p = gcal_poly_scale(w->c, p, -1, 1);
    return trips_while(w, s, gcal_poly_sub(w->c, p, gcal_poly_integer(w->c, 1)), count);
}

static bool find(struct gcal_walk *w, const struct search *s,
                 const struct gcal_sets_condition *x, bool negated,
                 struct gcal_walk_trip_count *count)
{
    struct gcal_walk_trip_count other = { 0 };
    const struct gcal_poly *zero;

    if (x->kind == GCAL_SETS_CONDITION_NOT)
        return find(w, s, x->a, !negated, count);
    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE && negated)
        return find(w, s, gcal_sets_condition_not(w->c, x), false, count);
    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_poly_contains(w->c, x->p, s->value)
                   ? trips_while(w, s, x->p, count)
                   : gcal_walk_trip_count_plain(w, x, s->v, count, s->why);
    if (negated && (zero = gcal_walk_find_zero(w, x)))
        return trips_until_zero(w, s, zero, count);
    if ((x->kind == GCAL_SETS_CONDITION_AND) == negated) {
        *s->why = "its condition has alternatives";
        return false;
    }
    if (!find(w, s, x->a, negated, count) || !find(w, s, x->b, negated, &other))
        return false;
    if (other.trips)
        count->trips =
            count->trips ? gcal_poly_min(w->c, count->trips, other.trips) : other.trips;
    if (other.guard)
        count->guard = count->guard
                           ? gcal_sets_condition_and(w->c, count->guard, other.guard)
                           : other.guard;
    return true;
}

bool gcal_walk_trip_count_scaled(struct gcal_walk *w,
                                 const struct gcal_sets_condition *condition, unsigned v,
                                 const struct gcal_walk_induction *scaled,
                                 struct gcal_walk_trip_count *count, const char **why)
{
    struct search s = { scaled, gcal_poly_atom_index(scaled->any), v, why };

    *count = (struct gcal_walk_trip_count){ 0 };
    return find(w, &s, condition, false, count);
}

/* ---- messages ---- */

const char *gcal_walk_scaled_size(struct gcal_walk *w, const struct gcal_poly *p)
{
    const char *size = NULL;

    for (size_t i = 0; i < p->n_terms && !size; i++)
        for (size_t j = 0; j < p->terms[i].n_factors && !size; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(w->c, atom);
            bool scaled =
                a.kind == GCAL_POLY_ATOM_POWER && gcal_poly_has_dimension(w->c, a.a);

            if (a.kind < GCAL_POLY_ATOM_FLOOR)
                continue;
            for (size_t k = 0; scaled && k < a.a->n_terms && !size; k++) {
                struct gcal_poly_atom of = { 0 };

                if (a.a->terms[k].n_factors)
                    of = gcal_poly_get_atom(w->c, a.a->terms[k].factors[0].atom);
                if (of.kind == GCAL_POLY_ATOM_DIMENSION && of.a)
                    size = gcal_poly_first_parameter(w->c, of.a);
            }
            if (!size && a.a)
                size = gcal_walk_scaled_size(w, a.a);
            if (!size && a.b)
                size = gcal_walk_scaled_size(w, a.b);
        }
    return size;
}
