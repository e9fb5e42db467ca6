/* quotient.c - conditions on quotients as conditions on products
 *
 * floor(p/q) >= r holds where p >= q*r, for q >= 1: without the quotient, such a condition
 * is affine more often, and terms of it cancel.
 */
#include "kernels/sets/private.h"

/* The term of p that is a quotient of dimensions, times 1 or -1, and occurs nowhere else;
 * NULL without.
 */
static const struct gcal_poly_term *find_lone_quotient(struct gcal_poly_context *c,
                                                       const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        unsigned atom = t->factors[0].atom;
        struct gcal_poly_atom a;

        if (t->n_factors != 1 || t->factors[0].power != 1 || t->den != 1 ||
            (t->num != 1 && t->num != -1))
            continue;
        a = gcal_poly_get_atom(c, atom);
        if (a.kind == GCAL_POLY_ATOM_QUOTIENT && gcal_poly_has_dimension(c, a.a) &&
            !gcal_poly_contains(c, gcal_poly_coefficient(c, p, atom, 0), atom) &&
            gcal_poly_degree(p, atom) == 1)
            return t;
    }
    return NULL;
}

const struct gcal_poly *gcal_sets_multiply_out(struct gcal_poly_context *c,
                                               const struct gcal_poly *p)
{
    enum { MOST_QUOTIENTS = 4 };
    const struct gcal_poly *one = gcal_poly_integer(c, 1);

    for (int i = 0; i < MOST_QUOTIENTS; i++) {
        const struct gcal_poly_term *t = find_lone_quotient(c, p);
        struct gcal_poly_atom a;
        const struct gcal_poly *rest;

        if (!t || !gcal_poly_is_integral(p))
            return p;
        a = gcal_poly_get_atom(c, t->factors[0].atom);
        rest = gcal_poly_coefficient(c, p, t->factors[0].atom, 0);
        p = t->num > 0
                ? gcal_poly_add(c, a.a, gcal_poly_mul(c, rest, a.b))
                : gcal_poly_sub(c, gcal_poly_mul(c, gcal_poly_add(c, rest, one), a.b),
                                gcal_poly_add(c, a.a, one));
    }
    return p;
}

static const struct gcal_poly *multiply_out(const struct gcal_poly *p, void *data)
{
    return gcal_sets_multiply_out(data, p);
}

const struct gcal_sets_condition *
gcal_sets_condition_multiply_out(struct gcal_poly_context *c,
                                 const struct gcal_sets_condition *condition)
{
    return gcal_sets_condition_map(c, condition, multiply_out, c);
}

static bool add_bounds(const struct gcal_sets_condition *condition,
                       struct gcal_sets_bounds *bounds)
{
    if (condition->kind == GCAL_SETS_CONDITION_AND)
        return add_bounds(condition->a, bounds) && add_bounds(condition->b, bounds);
    if (condition->kind != GCAL_SETS_CONDITION_NONNEGATIVE ||
        bounds->n == GCAL_SETS_MAX_BOUNDS)
        return false;
    bounds->p[bounds->n++] = condition->p;
    return true;
}

bool gcal_sets_domain_find_bounds(const struct gcal_sets_domain *domain, size_t dim,
                                  struct gcal_sets_bounds *bounds)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *next = gcal_poly_add(
        c, gcal_poly_from_atom(c, domain->dims[dim]), gcal_poly_integer(c, 1));

    bounds->n = 0;
    return add_bounds(gcal_sets_condition_multiply_out(
                          c, gcal_sets_condition_nonnegative(
                                 c, gcal_poly_sub(c, domain->trips[dim], next))),
                      bounds);
}

const struct gcal_poly *gcal_sets_bound_trips(struct gcal_poly_context *c,
                                              const struct gcal_poly *bound,
                                              unsigned atom)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *step, *rest;

    if (gcal_poly_degree(bound, atom) != 1 || gcal_poly_contains_nested(c, bound, atom))
        return NULL;
    step = gcal_poly_scale(c, gcal_poly_coefficient(c, bound, atom, 1), -1, 1);
    rest = gcal_poly_coefficient(c, bound, atom, 0);
    if (gcal_poly_has_dimension(c, step) || !gcal_poly_is_integral(step) ||
        !gcal_poly_is_nonnegative(c, gcal_poly_sub(c, step, one)))
        return NULL;
    return gcal_poly_add(c, gcal_poly_floor_quotient(c, rest, step), one);
}
