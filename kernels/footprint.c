/* footprint.c - how many distinct elements accesses touch
 *
 * A subscript that is a sum of strides times ranges is read like a number with digits:
 * strides sorted by size, those that continue or overlap each other joined to one digit
 * (16*gid + lid is one digit of n), until every digit is smaller than the next stride.
 * Then all combinations are distinct, and their number is the product.  What cannot be
 * proven so, with sizes as symbols, is not known.
 */
#include <stdlib.h>

#include "kernels/ir.h"

enum { MOST_DIGITS = GCAL_MAX_NEST };

struct digit {
    const struct gcal_poly *stride, *extent;
};

struct digits {
    size_t n;
    struct digit all[MOST_DIGITS];
};

static bool is_at_least(struct gcal_polys *c, const struct gcal_poly *a,
                        const struct gcal_poly *b)
{
    return gcal_poly_is_nonnegative(c, gcal_poly_sub(c, a, b));
}

static bool is_positive(struct gcal_polys *c, const struct gcal_poly *p)
{
    return is_at_least(c, p, gcal_poly_integer(c, 1));
}

static bool add_digit(struct gcal_polys *c, struct digits *digits,
                      const struct gcal_poly *stride, const struct gcal_poly *extent)
{
    const struct gcal_poly *opposite = gcal_poly_scale(c, stride, -1, 1);
    size_t at = digits->n;

    if (!stride->n_terms || gcal_poly_equal(extent, gcal_poly_integer(c, 1)))
        return true;
    /* running backwards touches the same elements; a stride is not 0 for n > 0 only */
    if (is_at_least(c, opposite, gcal_poly_integer(c, 0)))
        stride = opposite;
    else if (!is_at_least(c, stride, gcal_poly_integer(c, 0)))
        return false;
    if (digits->n == MOST_DIGITS || gcal_poly_has_dimension(c, extent))
        return false;
    while (at > 0 && !is_at_least(c, stride, digits->all[at - 1].stride)) {
        if (!is_at_least(c, digits->all[at - 1].stride, stride))
            return false;
        digits->all[at] = digits->all[at - 1];
        at--;
    }
    digits->all[at] = (struct digit){ stride, extent };
    digits->n++;
    return true;
}

/* How many times the lower stride the upper one is; NULL when that is no integer. */
static const struct gcal_poly *ratio(struct gcal_polys *c, const struct digit *low,
                                     const struct digit *high)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *q;

    if (gcal_poly_equal(low->stride, high->stride))
        return one;
    q = gcal_poly_divide(c, high->stride, low->stride);
    return q && gcal_poly_is_integral(q) ? q : NULL;
}

/* One pass over neighbours; true when something was joined. */
static bool join_digits(struct gcal_polys *c, struct digits *digits)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1);

    for (size_t i = 0; i + 1 < digits->n; i++) {
        struct digit *low = &digits->all[i], *high = low + 1;
        const struct gcal_poly *q = ratio(c, low, high);

        if (!q || !is_at_least(c, low->extent, q))
            continue;
        low->extent = gcal_poly_add(
            c, low->extent, gcal_poly_mul(c, q, gcal_poly_sub(c, high->extent, one)));
        for (size_t j = i + 1; j + 1 < digits->n; j++)
            digits->all[j] = digits->all[j + 1];
        digits->n--;
        return true;
    }
    return false;
}

static const struct gcal_poly *count_digits(struct gcal_polys *c, struct digits *digits)
{
    const struct gcal_poly *product = gcal_poly_integer(c, 1);
    const struct gcal_poly *reach = gcal_poly_integer(c, 0); /* of the digits below */

    while (join_digits(c, digits))
        ;
    for (size_t i = 0; i < digits->n; i++) {
        const struct digit *d = &digits->all[i];

        /* with extents of 1 (n = 0 aside) the bound below need not hold */
        if (!is_positive(c, gcal_poly_sub(c, d->stride, reach)) &&
            !(i == 0 && is_at_least(c, d->stride, reach)))
            return NULL;
        reach = gcal_poly_add(
            c, reach,
            gcal_poly_mul(c, d->stride,
                          gcal_poly_sub(c, d->extent, gcal_poly_integer(c, 1))));
        product = gcal_poly_mul(c, product, d->extent);
    }
    return product;
}

/* ---- the ranges of an access's dimensions ---- */

/* Ranges of 'atom' under guards that name it alone; NULL when they do not close it. */
static const struct gcal_poly *extent_of(struct gcal_nest *nest,
                                         const struct gcal_domain *domain, unsigned atom,
                                         const struct gcal_poly *trips)
{
    struct gcal_polys *c = nest->c;

    for (; domain; domain = domain->parent)
        if (domain->kind == GCAL_DOMAIN_CONDITION) {
            const struct gcal_poly *p = domain->condition->p, *bound;
            int64_t factor;

            if (!p)
                return NULL;

            if (!gcal_poly_contains(c, p, atom))
                continue;
            if (gcal_poly_hides(c, p, atom) || gcal_poly_degree(p, atom) != 1 ||
                !gcal_poly_is_constant(gcal_poly_coefficient(c, p, atom, 1), &factor) ||
                factor > -1)
                return NULL; /* not an upper bound */
            bound = gcal_poly_coefficient(c, p, atom, 0);
            if (gcal_poly_has_dimension(c, bound))
                return NULL;
            trips = gcal_poly_min(c, trips,
                                  gcal_poly_add(c, gcal_poly_floor(c, bound, -factor),
                                                gcal_poly_integer(c, 1)));
        }
    return gcal_poly_has_dimension(c, trips) ? NULL : trips;
}

/* Guards on global ids name lid and gid together: the digits of both, joined, end there.
 * Returns false when the guard bounds something else.
 */
static bool add_global_id(struct gcal_nest *nest, const struct gcal_domain *domain,
                          size_t d, const struct gcal_poly *offset, struct digits *digits,
                          bool *done)
{
    struct gcal_polys *c = nest->c;
    unsigned lid = gcal_poly_atom(nest->lid[d]), gid = gcal_poly_atom(nest->gid[d]);
    const struct gcal_poly *stride = gcal_poly_coefficient(c, offset, lid, 1);
    const struct gcal_poly *extent =
        gcal_poly_scale(c, nest->groups[d], nest->local_size[d], 1);

    *done = false;
    for (; domain; domain = domain->parent)
        if (domain->kind == GCAL_DOMAIN_CONDITION) {
            const struct gcal_poly *p = domain->condition->p, *bound;
            int64_t l, g;

            if (!p)
                return false;

            if (!gcal_poly_contains(c, p, lid) || !gcal_poly_contains(c, p, gid))
                continue;
            bound = gcal_poly_coefficient(c, gcal_poly_coefficient(c, p, lid, 0), gid, 0);
            if (gcal_poly_has_dimension(c, bound) ||
                !gcal_poly_is_constant(gcal_poly_coefficient(c, p, lid, 1), &l) ||
                !gcal_poly_is_constant(gcal_poly_coefficient(c, p, gid, 1), &g) ||
                l != -1 || g != -nest->local_size[d])
                return false;
            extent = gcal_poly_min(c, extent,
                                   gcal_poly_add(c, bound, gcal_poly_integer(c, 1)));
            *done = true;
        }
    if (!*done)
        return true;
    if (!gcal_poly_equal(gcal_poly_coefficient(c, offset, gid, 1),
                         gcal_poly_scale(c, stride, nest->local_size[d], 1)))
        return false;
    return add_digit(c, digits, stride, extent);
}

static bool add_dimension(struct gcal_nest *nest, const struct gcal_access_event *access,
                          unsigned atom, const struct gcal_poly *trips,
                          struct digits *digits)
{
    const struct gcal_poly *stride =
        gcal_poly_coefficient(nest->c, access->offset, atom, 1);
    const struct gcal_poly *extent;

    if (gcal_poly_hides(nest->c, access->offset, atom) ||
        gcal_poly_degree(access->offset, atom) > 1 ||
        gcal_poly_has_dimension(nest->c, stride))
        return false;
    if (!stride->n_terms)
        return true; /* taken to run at least once */
    extent = extent_of(nest, access->domain, atom, trips);
    return extent && add_digit(nest->c, digits, stride, extent);
}

/* Accesses a[i-1], a[i], a[i+1] are one more dimension when their distances are equal. */
static int compare_offsets(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static bool add_shifts(struct gcal_nest *nest, size_t n,
                       const struct gcal_access_event *const *accesses,
                       struct digits *digits)
{
    enum { MOST = 256 };
    int64_t shifts[MOST], step;
    size_t kept = 1;

    if (n > MOST)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset ||
            !gcal_poly_is_constant(
                gcal_poly_sub(nest->c, accesses[i]->offset, accesses[0]->offset),
                &shifts[i]) ||
            accesses[i]->domain != accesses[0]->domain)
            return false;
    qsort(shifts, n, sizeof(shifts[0]), compare_offsets);
    for (size_t i = 1; i < n; i++)
        if (shifts[i] != shifts[kept - 1])
            shifts[kept++] = shifts[i];
    if (kept == 1)
        return true;
    step = shifts[1] - shifts[0];
    for (size_t i = 1; i < kept; i++)
        if (shifts[i] - shifts[i - 1] != step)
            return false;
    return add_digit(nest->c, digits, gcal_poly_integer(nest->c, step),
                     gcal_poly_integer(nest->c, (int64_t)kept));
}

const struct gcal_poly *gcal_footprint(struct gcal_nest *nest, size_t n,
                                       const struct gcal_access_event *const *accesses)
{
    const struct gcal_access_event *first = accesses[0];
    struct gcal_polys *c = nest->c;
    struct digits digits = { 0 };
    bool done;

    if (!first->offset || !add_shifts(nest, n, accesses, &digits) ||
        !add_digit(c, &digits, gcal_poly_integer(c, 1),
                   gcal_poly_integer(c, first->width)))
        return NULL;
    for (size_t d = 0; d < nest->n_dims; d++) {
        if (!add_global_id(nest, first->domain, d, first->offset, &digits, &done))
            return NULL;
        if (!done &&
            (!add_dimension(nest, first, gcal_poly_atom(nest->lid[d]),
                            gcal_poly_integer(c, nest->local_size[d]), &digits) ||
             !add_dimension(nest, first, gcal_poly_atom(nest->gid[d]), nest->groups[d],
                            &digits)))
            return NULL;
    }
    for (const struct gcal_domain *loop = first->domain; loop; loop = loop->parent)
        if (loop->kind == GCAL_DOMAIN_LOOP &&
            !add_dimension(nest, first, loop->loop, loop->trips, &digits))
            return NULL;
    return count_digits(c, &digits);
}
