/* direction.c - how polynomials and conditions change as a dimension rises */
#include "kernels/sets/private.h"

static enum gcal_sets_direction both(enum gcal_sets_direction a,
                                     enum gcal_sets_direction b)
{
    if (a == GCAL_SETS_CONSTANT || a == b)
        return b;
    return b == GCAL_SETS_CONSTANT ? a : GCAL_SETS_MIXED;
}

static enum gcal_sets_direction reverse(enum gcal_sets_direction a)
{
    return a == GCAL_SETS_RISING    ? GCAL_SETS_FALLING
           : a == GCAL_SETS_FALLING ? GCAL_SETS_RISING
                                    : a;
}

/* The direction of a multiple of what rises. */
static enum gcal_sets_direction by_sign(struct gcal_poly_context *c,
                                        const struct gcal_poly *factor)
{
    if (!factor->n_terms)
        return GCAL_SETS_CONSTANT;
    if (gcal_poly_is_nonnegative(c, factor))
        return GCAL_SETS_RISING;
    return gcal_poly_is_nonnegative(c, gcal_poly_scale(c, factor, -1, 1))
               ? GCAL_SETS_FALLING
               : GCAL_SETS_MIXED;
}

static enum gcal_sets_direction direction(struct gcal_poly_context *c,
                                          const struct gcal_poly *p, unsigned dim,
                                          int extrema);

/* Of a floor, quotient or step that contains 'dim'. */
static enum gcal_sets_direction of_atom(struct gcal_poly_context *c, unsigned atom,
                                        unsigned dim, int extrema)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);

    if (a.kind == GCAL_POLY_ATOM_MIN || a.kind == GCAL_POLY_ATOM_MAX ||
        (a.b && gcal_poly_contains(c, a.b, dim)))
        return GCAL_SETS_MIXED;
    return direction(c, a.a, dim, extrema);
}

/* Of the terms in which other atoms contain 'dim'. */
static enum gcal_sets_direction of_atoms(struct gcal_poly_context *c,
                                         const struct gcal_poly *p, unsigned dim,
                                         int extrema)
{
    enum gcal_sets_direction all = GCAL_SETS_CONSTANT, one;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            const struct gcal_poly *factor;

            if (!gcal_poly_contains_nested(c, gcal_poly_from_atom(c, atom), dim))
                continue;
            factor = gcal_poly_coefficient(c, p, atom, 1);
            if (gcal_poly_degree(p, atom) > 1 || gcal_poly_contains(c, factor, dim))
                return GCAL_SETS_MIXED;
            one = by_sign(c, factor);
            if (one != GCAL_SETS_MIXED)
                one = one == GCAL_SETS_RISING ? of_atom(c, atom, dim, extrema)
                                              : reverse(of_atom(c, atom, dim, extrema));
            all = both(all, one);
        }
    return all;
}

/* The minimum or maximum in p that contains 'dim', and does so in one term alone. */
static bool find_extremum(struct gcal_poly_context *c, const struct gcal_poly *p,
                          unsigned dim, unsigned *found)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            enum gcal_poly_atom_kind kind = gcal_poly_get_atom(c, atom).kind;

            *found = atom;
            if ((kind == GCAL_POLY_ATOM_MIN || kind == GCAL_POLY_ATOM_MAX) &&
                gcal_poly_contains_nested(c, gcal_poly_from_atom(c, atom), dim) &&
                gcal_poly_degree(p, atom) == 1 &&
                !gcal_poly_contains(c, gcal_poly_coefficient(c, p, atom, 1), dim))
                return true;
        }
    return false;
}

static enum gcal_sets_direction direction(struct gcal_poly_context *c,
                                          const struct gcal_poly *p, unsigned dim,
                                          int extrema)
{
    const struct gcal_poly *factor;
    struct gcal_poly_atom a;
    unsigned atom;

    if (!gcal_poly_contains(c, p, dim))
        return GCAL_SETS_CONSTANT;
    /* min(a, b) + r is the minimum of a + r and b + r */
    if (extrema && find_extremum(c, p, dim, &atom)) {
        a = gcal_poly_get_atom(c, atom);
        return both(
            direction(c, gcal_poly_substitute(c, p, atom, a.a), dim, extrema - 1),
            direction(c, gcal_poly_substitute(c, p, atom, a.b), dim, extrema - 1));
    }
    if (gcal_poly_degree(p, dim) > 1)
        return GCAL_SETS_MIXED;
    factor = gcal_poly_coefficient(c, p, dim, 1);
    if (gcal_poly_contains(c, factor, dim))
        return GCAL_SETS_MIXED;
    return both(by_sign(c, factor),
                of_atoms(c, gcal_poly_coefficient(c, p, dim, 0), dim, extrema));
}

/* By the difference of consecutive values: floor((n + 3*x)/4) - x falls. */
static enum gcal_sets_direction by_difference(struct gcal_poly_context *c,
                                              const struct gcal_poly *p, unsigned dim)
{
    const struct gcal_poly *next =
        gcal_poly_add(c, gcal_poly_from_atom(c, dim), gcal_poly_integer(c, 1));

    return by_sign(c, gcal_poly_sub(c, gcal_poly_substitute(c, p, dim, next), p));
}

enum gcal_sets_direction gcal_sets_direction(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned dim)
{
    enum { MOST_EXTREMA = 5 };
    enum gcal_sets_direction found = direction(c, p, dim, MOST_EXTREMA);

    return found == GCAL_SETS_MIXED ? by_difference(c, p, dim) : found;
}

enum gcal_sets_direction
gcal_sets_condition_direction(struct gcal_poly_context *c,
                              const struct gcal_sets_condition *x, unsigned dim)
{
    switch (x->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return gcal_sets_direction(c, x->p, dim);
    case GCAL_SETS_CONDITION_NOT:
        return reverse(gcal_sets_condition_direction(c, x->a, dim));
    case GCAL_SETS_CONDITION_EARLIER:
        if (x->loop == dim)
            return GCAL_SETS_MIXED;
        return gcal_sets_condition_direction(c, x->a, dim);
    default:
        return both(gcal_sets_condition_direction(c, x->a, dim),
                    gcal_sets_condition_direction(c, x->b, dim));
    }
}
