/* bases.c - subscripts as multiples of their strides' bases, for footprints */

#include <limits.h>

#include "kernels/sets/private.h"

bool gcal_sets_bases_atom(struct gcal_poly_context *c, const struct gcal_poly_term *t,
                          unsigned *atom)
{
    *atom = UINT_MAX;
    for (size_t i = 0; i < t->n_factors; i++) {
        if (!gcal_poly_atom_has_dimension(c, t->factors[i].atom))
            continue;
        if (*atom != UINT_MAX || t->factors[i].power != 1)
            return false;
        *atom = t->factors[i].atom;
    }
    return true;
}

const struct gcal_poly *gcal_sets_bases_stride(struct gcal_poly_context *c,
                                               const struct gcal_poly *offset,
                                               unsigned atom)
{
    const struct gcal_poly *rest = offset;

    if (atom != UINT_MAX)
        return gcal_poly_coefficient(c, offset, atom, 1);
    for (size_t i = 0; i < offset->n_terms; i++)
        if (gcal_sets_bases_atom(c, &offset->terms[i], &atom) && atom != UINT_MAX)
            rest = gcal_poly_coefficient(c, rest, atom, 0);
    return rest;
}

/* p = number * result, whose first coefficient is positive. */
static const struct gcal_poly *primitive(struct gcal_poly_context *c,
                                         const struct gcal_poly *p, int64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < p->n_terms; i++)
        *number = gcal_poly_gcd(*number, p->terms[i].num);
    if (p->n_terms && p->terms[0].num < 0)
        *number = -*number;
    return *number ? gcal_poly_scale(c, p, 1, *number) : p;
}

/* Returns whether a >= b.  A stride is at least 1 where it is nonnegative: an array whose rows
 * have no elements is not accessed.  So is a factor of a stride, n*m/n.
 */
static bool is_at_least(struct gcal_poly_context *c, const struct gcal_poly *a,
                        const struct gcal_poly *b)
{
    const struct gcal_poly *times = gcal_poly_divide(c, a, b);

    if (times && times->n_terms && gcal_poly_is_integral(times) &&
        gcal_poly_is_nonnegative(c, times))
        return true;
    return gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b));
}

/* Inserts 'basis' in rising order; false when its place is unknown, unless the order does
 * not matter.
 */
static bool add_basis(struct gcal_poly_context *c, struct gcal_sets_bases *bases,
                      const struct gcal_poly *basis, int64_t number)
{
    size_t at = bases->n;

    for (size_t i = 0; i < bases->n; i++)
        if (gcal_poly_equal(bases->all[i], basis)) {
            bases->numbers[i] = gcal_poly_gcd(bases->numbers[i], number);
            return true;
        }
    while (at > 0 && !is_at_least(c, basis, bases->all[at - 1])) {
        if (!is_at_least(c, bases->all[at - 1], basis)) {
            if (bases->ordered)
                return false;
            break;
        }
        at--;
    }
    if (bases->n == GCAL_SETS_MAX_BASES)
        return false;
    for (size_t i = bases->n++; i > at; i--) {
        bases->all[i] = bases->all[i - 1];
        bases->numbers[i] = bases->numbers[i - 1];
    }
    bases->all[at] = basis;
    bases->numbers[at] = gcal_poly_gcd(number, 0);
    return true;
}

/* Adds the whole stride ("n+2"), or the products of sizes in it ("n" and 1). */
static bool add_stride(struct gcal_poly_context *c, struct gcal_sets_bases *bases,
                       const struct gcal_poly *stride, bool whole)
{
    int64_t number;

    if (whole) {
        stride = primitive(c, stride, &number);
        return add_basis(c, bases, stride, number);
    }
    for (size_t i = 0; i < stride->n_terms; i++) {
        const struct gcal_poly *one = gcal_poly_integer(c, 1);

        for (size_t j = 0; j < stride->terms[i].n_factors; j++)
            for (unsigned k = 0; k < stride->terms[i].factors[j].power; k++)
                one = gcal_poly_mul(
                    c, one, gcal_poly_from_atom(c, stride->terms[i].factors[j].atom));
        if (!add_basis(c, bases, one, stride->terms[i].num))
            return false;
    }
    return true;
}

/* The multiple of the term 'lead' that p contains; 0 when it is no integer. */
static int64_t times_in(const struct gcal_poly *p, const struct gcal_poly_term *lead)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        bool same = t->n_factors == lead->n_factors;

        for (size_t j = 0; j < t->n_factors && same; j++)
            same = t->factors[j].atom == lead->factors[j].atom &&
                   t->factors[j].power == lead->factors[j].power;
        if (same)
            return t->den == 1 && lead->den == 1 && t->num % lead->num == 0
                       ? t->num / lead->num
                       : 0;
    }
    return 0;
}

bool gcal_sets_bases_split(struct gcal_poly_context *c,
                           const struct gcal_sets_bases *bases, const struct gcal_poly *p,
                           int64_t *numbers)
{
    for (size_t i = bases->n; i-- > 0;) {
        if (!bases->all[i]->n_terms) /* the context has failed */
            return false;
        numbers[i] = times_in(p, &bases->all[i]->terms[0]);
        p = gcal_poly_sub(c, p, gcal_poly_scale(c, bases->all[i], numbers[i], 1));
    }
    return p->n_terms == 0;
}

const struct gcal_poly *gcal_sets_bases_offset(struct gcal_poly_context *c,
                                               const struct gcal_poly *const *offsets,
                                               size_t to)
{
    return gcal_poly_sub(c, gcal_sets_bases_stride(c, offsets[to], UINT_MAX),
                         gcal_sets_bases_stride(c, offsets[0], UINT_MAX));
}

bool gcal_sets_bases_find(struct gcal_poly_context *c, size_t n,
                          const struct gcal_poly *const *offsets, bool whole,
                          bool ordered, struct gcal_sets_bases *bases)
{
    int64_t numbers[GCAL_SETS_MAX_BASES] = { 0 };
    unsigned atom;

    *bases = (struct gcal_sets_bases){ ordered, 1, { gcal_poly_integer(c, 1) }, { 1 } };
    for (size_t i = 0; i < n; i++) {
        const struct gcal_poly *offset = offsets[i];

        for (size_t j = 0; j < offset->n_terms; j++)
            if (!gcal_sets_bases_atom(c, &offset->terms[j], &atom) ||
                (atom != UINT_MAX &&
                 !add_stride(c, bases, gcal_sets_bases_stride(c, offset, atom), whole)))
                return false;
    }
    for (size_t i = 1; i < n; i++) {
        const struct gcal_poly *p = gcal_sets_bases_offset(c, offsets, i);

        /* planes at x and x + n, where n is no stride */
        if (!gcal_sets_bases_split(c, bases, p, numbers) &&
            (!add_stride(c, bases, p, whole) ||
             !gcal_sets_bases_split(c, bases, p, numbers)))
            return false;
        for (size_t b = 0; b < bases->n; b++)
            bases->numbers[b] = gcal_poly_gcd(bases->numbers[b], numbers[b]);
    }
    for (size_t b = 0; b < bases->n; b++)
        bases->all[b] = gcal_poly_scale(c, bases->all[b], bases->numbers[b], 1);
    return true;
}
