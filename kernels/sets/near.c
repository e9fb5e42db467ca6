/* near.c - subscripts without the ends at which they are clamped, for estimates
 *
 * "min(max(x + dx, 0), w - 1)" is x + dx but at the sides of an image, and so is a
 * subscript that a condition moves there.  Where the side that is taken mostly is not
 * obvious, it is the one in the middle of all ranges, at sizes of a thousand.
 */
#include <math.h>

#include "kernels/sets/private.h"

enum { TYPICAL_SIZE = 1000, MOST_EVALUATIONS = 2000, MOST_LEVELS = 16 };

struct near {
    struct gcal_poly_context *c;
    int evaluations_left, levels_left;
};

/* ---- in the middle of all ranges ---- */

static double middle(struct near *n, const struct gcal_poly *p);

static double middle_of_atom(struct near *n, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(n->c, atom);
    double x, y;

    if (a.kind == GCAL_POLY_ATOM_PARAMETER)
        return TYPICAL_SIZE;
    x = a.a ? middle(n, a.a) : TYPICAL_SIZE;
    y = a.b ? middle(n, a.b) : 1;
    switch (a.kind) {
    case GCAL_POLY_ATOM_DIMENSION:
        return x / 2;
    case GCAL_POLY_ATOM_FLOOR:
        return floor(x / (double)a.k);
    case GCAL_POLY_ATOM_QUOTIENT:
        return floor(x / (y < 1 ? 1 : y));
    case GCAL_POLY_ATOM_STEP:
        return x >= 0;
    case GCAL_POLY_ATOM_MIN:
        return fmin(x, y);
    case GCAL_POLY_ATOM_MAX:
        return fmax(x, y);
    case GCAL_POLY_ATOM_LOG2:
        return x < 1 ? 0 : floor(log2(x));
    default:
        return exp2(fmin(x, 40));
    }
}

static double middle(struct near *n, const struct gcal_poly *p)
{
    double sum = 0;

    if (n->evaluations_left-- <= 0)
        return 0;
    for (size_t i = 0; i < p->n_terms; i++) {
        double product = (double)p->terms[i].num / (double)p->terms[i].den;

        for (size_t j = 0; j < p->terms[i].n_factors; j++)
            product *= pow(middle_of_atom(n, p->terms[i].factors[j].atom),
                           p->terms[i].factors[j].power);
        sum += product;
    }
    return sum;
}

bool gcal_sets_condition_holds_mostly(struct gcal_poly_context *c,
                                      const struct gcal_sets_condition *x)
{
    struct near n = { c, MOST_EVALUATIONS, MOST_LEVELS };

    switch (x->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return middle(&n, x->p) >= 0;
    case GCAL_SETS_CONDITION_NOT:
        return !gcal_sets_condition_holds_mostly(c, x->a);
    case GCAL_SETS_CONDITION_EARLIER:
        return gcal_sets_condition_holds_mostly(c, x->a);
    default:
        return gcal_sets_condition_holds_mostly(c, x->a) ==
                       (x->kind == GCAL_SETS_CONDITION_AND)
                   ? gcal_sets_condition_holds_mostly(c, x->b)
                   : x->kind == GCAL_SETS_CONDITION_OR;
    }
}

/* ---- subscripts ---- */

/* How often p has minima, maxima and steps, plus 'quotient' for each quotient by a size. */
static size_t count_pieces(const struct gcal_poly_context *c, const struct gcal_poly *p,
                           size_t quotient)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);

            if (a.kind <= GCAL_POLY_ATOM_DIMENSION ||
                !gcal_poly_atom_has_dimension(c, atom))
                continue;
            n += a.kind == GCAL_POLY_ATOM_QUOTIENT ? quotient
                                                   : a.kind >= GCAL_POLY_ATOM_STEP;
            n += count_pieces(c, a.a, quotient) +
                 (a.b ? count_pieces(c, a.b, quotient) : 0);
        }
    return n;
}

static const struct gcal_poly *settle(struct near *n, const struct gcal_poly *p);

static const struct gcal_poly *settle_atom(struct near *n, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(n->c, atom);
    const struct gcal_poly *x, *y;

    if (n->levels_left == 0 || !count_pieces(n->c, gcal_poly_from_atom(n->c, atom), 0))
        return gcal_poly_from_atom(n->c, atom);
    n->levels_left--;
    x = settle(n, a.a);
    y = a.b ? settle(n, a.b) : NULL;
    n->levels_left++;
    switch (a.kind) {
    case GCAL_POLY_ATOM_FLOOR:
        return gcal_poly_floor(n->c, x, a.k);
    case GCAL_POLY_ATOM_QUOTIENT:
        return gcal_poly_floor_quotient(n->c, x, y);
    case GCAL_POLY_ATOM_STEP:
        return gcal_poly_integer(n->c, middle(n, x) >= 0);
    case GCAL_POLY_ATOM_MIN:
    case GCAL_POLY_ATOM_MAX: {
        /* A bound that is a size is at the sides, one that is a number need not be. */
        bool is_min = a.kind == GCAL_POLY_ATOM_MIN;
        bool in_a = gcal_poly_has_dimension(n->c, x),
             in_b = gcal_poly_has_dimension(n->c, y);
        int64_t number;

        if (in_a && !in_b && !gcal_poly_is_constant(y, &number))
            return x;
        if (in_b && !in_a && !gcal_poly_is_constant(x, &number))
            return y;
        return (middle(n, x) <= middle(n, y)) == is_min ? x : y;
    }
    default:
        return gcal_poly_from_atom(n->c, atom);
    }
}

static const struct gcal_poly *settle(struct near *n, const struct gcal_poly *p)
{
    const struct gcal_poly *sum = gcal_poly_integer(n->c, 0);

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        const struct gcal_poly *product = gcal_poly_rational(n->c, t->num, t->den);

        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                product =
                    gcal_poly_mul(n->c, product, settle_atom(n, t->factors[j].atom));
        sum = gcal_poly_add(n->c, sum, product);
    }
    return sum;
}

size_t gcal_sets_pieces(const struct gcal_poly_context *c, const struct gcal_poly *offset)
{
    return count_pieces(c, offset, GCAL_SETS_MOST_PIECES + 1);
}

const struct gcal_poly *gcal_sets_near(struct gcal_poly_context *c,
                                       const struct gcal_poly *offset)
{
    struct near n = { c, MOST_EVALUATIONS, MOST_LEVELS };

    return count_pieces(c, offset, 0) ? settle(&n, offset) : offset;
}

/* ---- numbers that are data ---- */

/* Returns whether lanes of a sub-group differ along the axis. */
static bool has_lanes(const struct gcal_sets_nest *nest, size_t axis)
{
    int64_t lanes = nest->sub_group_size;

    for (size_t d = 0; d < axis; d++)
        lanes = lanes % nest->local_size[d] == 0 || lanes > nest->local_size[d]
                    ? (lanes + nest->local_size[d] - 1) / nest->local_size[d]
                : nest->local_size[d] % lanes == 0 ? 1
                                                   : 2;
    return lanes > 1 && nest->local_size[axis] > 1;
}

bool gcal_sets_differs_by_lane(const struct gcal_sets_nest *nest,
                               const struct gcal_poly *p)
{
    for (const struct gcal_sets_number *n = nest->numbers; n; n = n->next) {
        if (!gcal_poly_contains(nest->c, p, gcal_poly_atom_index(n->value)))
            continue;
        for (size_t d = 0; d < nest->n_dims; d++)
            if (has_lanes(nest, d) &&
                gcal_poly_contains(nest->c, n->of, gcal_poly_atom_index(nest->lid[d])))
                return true;
        if (gcal_sets_differs_by_lane(nest, n->of))
            return true;
    }
    return false;
}
