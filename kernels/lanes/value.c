/* value.c - polynomials and conditions where dimensions have values */
#include "kernels/lanes/private.h"

static bool evaluate_atom(struct gcal_lanes_walk *l, unsigned atom, int64_t *value)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(l->nest->c, atom);
    int64_t num, den, other = 0, other_den = 1;

    if (a.kind == GCAL_POLY_ATOM_DIMENSION) {
        for (size_t i = 0; i < l->domain.n_dims; i++)
            if (l->domain.dims[i] == atom && l->assigned[i]) {
                *value = l->value[i];
                return true;
            }
        return false;
    }
    if (a.kind == GCAL_POLY_ATOM_PARAMETER && l->typical)
        return gcal_poly_typical_size(l->nest->c, atom, value);
    if (a.kind == GCAL_POLY_ATOM_PARAMETER || !gcal_lanes_evaluate(l, a.a, &num, &den) ||
        (a.b && !gcal_lanes_evaluate(l, a.b, &other, &other_den)) || other_den != 1)
        return false;
    switch (a.kind) {
    case GCAL_POLY_ATOM_FLOOR:
        return !__builtin_mul_overflow(den, a.k, &den) &&
               (*value = gcal_poly_floor_divide(num, den), true);
    case GCAL_POLY_ATOM_QUOTIENT:
        return other > 0 && !__builtin_mul_overflow(den, other, &den) &&
               (*value = gcal_poly_floor_divide(num, den), true);
    case GCAL_POLY_ATOM_STEP:
        *value = num >= 0;
        return true;
    case GCAL_POLY_ATOM_MIN:
        *value = num < other ? num : other;
        return den == 1;
    default:
        *value = num > other ? num : other;
        return den == 1;
    }
}

bool gcal_lanes_evaluate(struct gcal_lanes_walk *l, const struct gcal_poly *p,
                         int64_t *num, int64_t *den)
{
    *num = 0;
    *den = gcal_poly_denominator(p);
    if (*den <= 0 || --l->evaluations_left < 0)
        return false;
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        int64_t product, value;

        if (__builtin_mul_overflow(t->num, *den / t->den, &product))
            return false;
        for (size_t j = 0; j < t->n_factors; j++) {
            if (!evaluate_atom(l, t->factors[j].atom, &value))
                return false;
            for (unsigned k = 0; k < t->factors[j].power; k++)
                if (__builtin_mul_overflow(product, value, &product))
                    return false;
        }
        if (__builtin_add_overflow(*num, product, num))
            return false;
    }
    return true;
}

bool gcal_lanes_evaluate_integer(struct gcal_lanes_walk *l, const struct gcal_poly *p,
                                 int64_t *value)
{
    int64_t den;

    if (!gcal_lanes_evaluate(l, p, value, &den) || *value % den)
        return false;
    *value /= den;
    return true;
}

/* Returns whether 'a' held at an earlier value of the loop. */
static bool evaluate_earlier(struct gcal_lanes_walk *l,
                             const struct gcal_sets_condition *x, bool *holds)
{
    size_t dim = 0;
    int64_t now;
    bool known = true;

    while (dim < l->domain.n_dims && l->domain.dims[dim] != x->loop)
        dim++;
    if (dim == l->domain.n_dims || !l->assigned[dim])
        return false;
    now = l->value[dim];
    *holds = false;
    for (int64_t v = 0; v < now && known && !*holds; v++) {
        l->value[dim] = v;
        known = gcal_lanes_evaluate_condition(l, x->a, holds);
    }
    l->value[dim] = now;
    return known;
}

bool gcal_lanes_evaluate_condition(struct gcal_lanes_walk *l,
                                   const struct gcal_sets_condition *x, bool *holds)
{
    int64_t num, den;
    bool a, b;

    switch (x->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        if (!gcal_lanes_evaluate(l, x->p, &num, &den))
            return false;
        *holds = num >= 0;
        return true;
    case GCAL_SETS_CONDITION_NOT:
        if (!gcal_lanes_evaluate_condition(l, x->a, &a))
            return false;
        *holds = !a;
        return true;
    case GCAL_SETS_CONDITION_EARLIER:
        return evaluate_earlier(l, x, holds);
    default:
        if (!gcal_lanes_evaluate_condition(l, x->a, &a) ||
            !gcal_lanes_evaluate_condition(l, x->b, &b))
            return false;
        *holds = x->kind == GCAL_SETS_CONDITION_AND ? a && b : a || b;
        return true;
    }
}
