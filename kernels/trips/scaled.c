/* scaled.c - the trip count of a loop whose variable doubles or halves */
#include "kernels/trips/private.h"

struct search {
    const struct gcal_trips_scaled *scaled;
    unsigned value, v; /* dimensions: of its value, of the iteration */
    const char **why;
};

static const struct gcal_poly *ceil_divide(const struct gcal_trips_loop *l,
                                           const struct gcal_poly *p, int64_t k)
{
    return gcal_poly_floor(l->c, gcal_poly_add(l->c, p, gcal_poly_integer(l->c, k - 1)),
                           k);
}

/* How often 'least' doubles, by 'twos' at a time, until it is above 'most'. */
static const struct gcal_poly *count_doublings(const struct gcal_trips_loop *l,
                                               const struct gcal_poly *least,
                                               const struct gcal_poly *most, int twos)
{
    const struct gcal_poly *ratio = gcal_poly_floor_quotient(l->c, most, least);

    return ceil_divide(l, gcal_poly_digits(l->c, ratio), twos);
}

static bool is_at_least(const struct gcal_trips_loop *l, const struct gcal_poly *p,
                        int64_t number)
{
    return gcal_sets_scope_implies(
        l->c, l->scope, gcal_poly_sub(l->c, p, gcal_poly_integer(l->c, number)));
}

static bool refuse_start(const struct gcal_trips_loop *l, const struct search *s,
                         int64_t least)
{
    *s->why =
        gcal_poly_format(l->c, "'%s' %s, and its start '%s' may be %s", s->scaled->name,
                         s->scaled->doublings > 0 ? "doubles" : "halves",
                         gcal_poly_text(l->c, s->scaled->start), least ? "0" : "below 0");
    return false;
}

/* While value <= most. */
static bool trips_up_to(const struct gcal_trips_loop *l, const struct search *s,
                        const struct gcal_poly *most, struct gcal_trips_count *count)
{
    const struct gcal_poly *start = s->scaled->start;

    if (s->scaled->doublings < 0) {
        *s->why = "it never ends, or steps away from its bound";
        return false;
    }
    if (!is_at_least(l, start, 1) || gcal_poly_has_dimension(l->c, start))
        return refuse_start(l, s, 1);
    count->trips = count_doublings(l, start, most, s->scaled->doublings);
    return true;
}

/* While value >= least. */
static bool trips_down_to(const struct gcal_trips_loop *l, const struct search *s,
                          const struct gcal_poly *least, struct gcal_trips_count *count)
{
    const struct gcal_poly *start = s->scaled->start;

    if (s->scaled->doublings > 0 || !is_at_least(l, least, 1) ||
        gcal_poly_has_dimension(l->c, least)) {
        *s->why = "it never ends, or steps away from its bound";
        return false;
    }
    if (!is_at_least(l, start, 0))
        return refuse_start(l, s, 0);
    count->trips = count_doublings(l, least, start, -s->scaled->doublings);
    return true;
}

/* While p >= 0, for p linear in the value. */
static bool trips_while(const struct gcal_trips_loop *l, const struct search *s,
                        const struct gcal_poly *p, struct gcal_trips_count *count)
{
    const struct gcal_poly *rest = gcal_poly_coefficient(l->c, p, s->value, 0);
    int64_t k;

    if (gcal_poly_contains_nested(l->c, p, s->value) ||
        gcal_poly_degree(p, s->value) != 1 || gcal_poly_contains(l->c, rest, s->v) ||
        !gcal_poly_is_constant(gcal_poly_coefficient(l->c, p, s->value, 1), &k)) {
        *s->why = "its condition is not affine in what changes";
        return false;
    }
    count->lasts = true;
    return k < 0 ? trips_up_to(l, s, gcal_poly_floor(l->c, rest, -k), count)
                 : trips_down_to(l, s,
                                 ceil_divide(l, gcal_poly_scale(l->c, rest, -1, 1), k),
                                 count);
}

static bool find(const struct gcal_trips_loop *l, const struct search *s,
                 const struct gcal_sets_condition *x, bool negated,
                 struct gcal_trips_count *count)
{
    struct gcal_trips_count other = { 0 };
    const struct gcal_poly *zero;

    if (x->kind == GCAL_SETS_CONDITION_NOT)
        return find(l, s, x->a, !negated, count);
    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE && negated)
        return find(l, s, gcal_sets_condition_not(l->c, x), false, count);
    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_poly_contains(l->c, x->p, s->value)
                   ? trips_while(l, s, x->p, count)
                   : gcal_trips_find_plain(l, x, s->v, count, s->why);
    if (negated && (zero = gcal_sets_condition_find_zero(l->c, x))) {
        /* While p != 0, for a value that reaches 0 or a bound: it steps over neither. */
        const struct gcal_poly *p = zero;
        int64_t k;

        if (!gcal_poly_is_constant(gcal_poly_coefficient(l->c, p, s->value, 1), &k)) {
            *s->why = "its condition is not affine in what changes";
            return false;
        }
        if ((k > 0) == (s->scaled->doublings > 0))
            p = gcal_poly_scale(l->c, p, -1, 1);
        return trips_while(l, s, gcal_poly_sub(l->c, p, gcal_poly_integer(l->c, 1)),
                           count);
    }
    if ((x->kind == GCAL_SETS_CONDITION_AND) == negated) {
        *s->why = "its condition has alternatives";
        return false;
    }
    if (!find(l, s, x->a, negated, count) || !find(l, s, x->b, negated, &other))
        return false;
    if (other.trips)
        count->trips =
            count->trips ? gcal_poly_min(l->c, count->trips, other.trips) : other.trips;
    if (other.guard)
        count->guard = count->guard
                           ? gcal_sets_condition_and(l->c, count->guard, other.guard)
                           : other.guard;
    return true;
}

bool gcal_trips_find_scaled(const struct gcal_trips_loop *l,
                            const struct gcal_sets_condition *condition, unsigned v,
                            const struct gcal_trips_scaled *scaled,
                            struct gcal_trips_count *count, const char **why)
{
    struct search s = { scaled, gcal_poly_atom_index(scaled->any), v, why };

    *count = (struct gcal_trips_count){ 0 };
    return find(l, &s, condition, false, count);
}

/* ---- messages ---- */

const char *gcal_trips_scaled_size(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    const char *size = NULL;

    for (size_t i = 0; i < p->n_terms && !size; i++)
        for (size_t j = 0; j < p->terms[i].n_factors && !size; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);
            bool scaled =
                a.kind == GCAL_POLY_ATOM_POWER && gcal_poly_has_dimension(c, a.a);

            if (a.kind < GCAL_POLY_ATOM_FLOOR)
                continue;
            for (size_t k = 0; scaled && k < a.a->n_terms && !size; k++) {
                struct gcal_poly_atom of = { 0 };

                if (a.a->terms[k].n_factors)
                    of = gcal_poly_get_atom(c, a.a->terms[k].factors[0].atom);
                if (of.kind == GCAL_POLY_ATOM_DIMENSION && of.a)
                    size = gcal_poly_first_parameter(c, of.a);
            }
            if (!size && a.a)
                size = gcal_trips_scaled_size(c, a.a);
            if (!size && a.b)
                size = gcal_trips_scaled_size(c, a.b);
        }
    return size;
}
