/* sum_tiles.c - sums over tiles of a symbolic size, of which the last may be cut off */
#include "kernels/poly/private.h"

/* The minimum in p that contains 'atom', as the only such atom, linear and with a factor
 * without 'atom'; -1 without.
 */
static long find_minimum(struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned atom)
{
    long found = -1;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned factor = p->terms[i].factors[j].atom;
            const struct gcal_poly_entry *a = &c->atoms[factor];

            if (factor == atom || a->kind < GCAL_POLY_ATOM_FLOOR ||
                !gcal_poly_contains(c, gcal_poly_from_atom(c, factor), atom))
                continue;
            if (a->kind != GCAL_POLY_ATOM_MIN || (found >= 0 && found != (long)factor))
                return -1;
            found = (long)factor;
        }
    if (found < 0 || gcal_poly_degree(p, (unsigned)found) != 1 ||
        gcal_poly_contains(c, gcal_poly_coefficient(c, p, (unsigned)found, 1), atom))
        return -1;
    return found;
}

/* The sum of min(end, limit) over atom = 0 .. trips-1, where 'end' rises by a step
 * relative to 'limit', and first reaches it in the last iteration; NULL where that is not
 * so.
 */
static const struct gcal_poly *sum_minimum(struct gcal_poly_context *c,
                                           const struct gcal_poly *end,
                                           const struct gcal_poly *limit, unsigned atom,
                                           const struct gcal_poly *trips)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *step, *start, *length, *sum;
    const struct gcal_poly *falls = gcal_poly_mul(
        c, gcal_poly_coefficient(c, limit, atom, 1), gcal_poly_from_atom(c, atom));

    if (gcal_poly_contains_nested(c, limit, atom) || gcal_poly_degree(limit, atom) > 1 ||
        gcal_poly_contains_nested(c, end, atom))
        return NULL;
    limit = gcal_poly_sub(c, limit, falls); /* min(a, b) is min(a - p, b - p) + p */
    end = gcal_poly_sub(c, end, falls);
    if (gcal_poly_degree(end, atom) != 1)
        return NULL;
    step = gcal_poly_coefficient(c, end, atom, 1);
    start = gcal_poly_sub(c, gcal_poly_coefficient(c, end, atom, 0), step);
    length = gcal_poly_sub(c, limit, start);
    if (gcal_poly_has_dimension(c, step) || !gcal_poly_is_nonnegative(c, length) ||
        !gcal_poly_is_nonnegative(c, gcal_poly_sub(c, step, one)) ||
        !gcal_poly_equal(
            trips, gcal_poly_floor_quotient(
                       c, gcal_poly_add(c, length, gcal_poly_sub(c, step, one)), step)))
        return NULL;
    sum = gcal_poly_sum(c, end, atom, gcal_poly_sub(c, trips, one));
    falls = gcal_poly_sum(c, falls, atom, trips);
    return sum && falls ? gcal_poly_add(c, gcal_poly_add(c, sum, limit), falls) : NULL;
}

const struct gcal_poly *gcal_poly_sum_tiles(struct gcal_poly_context *c,
                                            const struct gcal_poly *p, unsigned atom,
                                            const struct gcal_poly *trips)
{
    long minimum = find_minimum(c, p, atom);
    const struct gcal_poly *factor, *sum, *rest;
    struct gcal_poly_entry a;

    if (minimum < 0)
        return NULL;
    a = c->atoms[minimum];
    sum = sum_minimum(c, a.a, a.b, atom, trips);
    sum = sum ? sum : sum_minimum(c, a.b, a.a, atom, trips);
    if (!sum)
        return NULL;
    factor = gcal_poly_coefficient(c, p, (unsigned)minimum, 1);
    rest =
        gcal_poly_sum(c, gcal_poly_coefficient(c, p, (unsigned)minimum, 0), atom, trips);
    return rest ? gcal_poly_add(c, rest, gcal_poly_mul(c, factor, sum)) : NULL;
}
