/* remainders.c - dimensions as quotients and remainders
 *
 * Lanes share the dimension v of "floor((256*v + lid)/96)" and depend on it, but only on
 * what it is modulo 3: with v = 3*q + r, 8*q is the lanes' base, and floor((256*r + lid)/96)
 * is enumerated with them, for each r.
 */
#include "kernels/lanes/private.h"

enum { MOST_PARTS = 32 };

struct replacing {
    struct gcal_poly_context *c;
    unsigned atom;
    const struct gcal_poly *value;
};

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct replacing *r = data;

    return gcal_poly_contains(r->c, p, r->atom)
               ? gcal_poly_substitute(r->c, p, r->atom, r->value)
               : p;
}

/* Makes the period a multiple of that of the condition's polynomials; false: unknown. */
static bool add_period(struct gcal_poly_context *c, const struct gcal_sets_condition *x,
                       unsigned atom, int64_t *period)
{
    int64_t own;

    if (x->p) {
        own = gcal_poly_period(c, x->p, atom);
        *period = own ? *period / gcal_poly_gcd(*period, own) * own : 0;
    }
    return *period && (!x->a || add_period(c, x->a, atom, period)) &&
           (!x->b || add_period(c, x->b, atom, period));
}

/* Returns whether lanes depend on the dimension in a quotient, and otherwise, but in the subscript,
 * not at all.
 */
static bool find_period(const struct gcal_lanes_walk *l, size_t dim,
                        bool ignores_conditions, int64_t *period)
{
    struct gcal_poly_context *c = l->nest->c;
    const struct gcal_sets_domain *domain = &l->domain;

    *period = gcal_poly_period(c, domain->offset, domain->dims[dim]);
    for (size_t i = 0; i < domain->n_conditions && *period && !ignores_conditions; i++)
        if (gcal_sets_condition_contains(c, domain->conditions[i], domain->dims[dim]) &&
            !add_period(c, domain->conditions[i], domain->dims[dim], period))
            return false;
    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_poly_contains(c, domain->trips[i], domain->dims[dim]))
            return false;
    return *period > 1 && !gcal_poly_has_dimension(c, domain->trips[dim]);
}

/* Returns whether an atom of p contains both the dimension and a local id. */
static bool mixes(const struct gcal_lanes_walk *l, const struct gcal_poly *p, size_t dim)
{
    struct gcal_poly_context *c = l->nest->c;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            const struct gcal_poly *factor =
                gcal_poly_from_atom(c, p->terms[i].factors[j].atom);

            if (!gcal_poly_contains(c, factor, l->domain.dims[dim]))
                continue;
            for (size_t k = 0; k < l->domain.n_dims; k++)
                if (l->domain.is_lid[k] &&
                    gcal_poly_contains(c, factor, l->domain.dims[k]))
                    return true;
        }
    return false;
}

static bool condition_mixes(const struct gcal_lanes_walk *l,
                            const struct gcal_sets_condition *x, size_t dim)
{
    return (x->p && mixes(l, x->p, dim)) || (x->a && condition_mixes(l, x->a, dim)) ||
           (x->b && condition_mixes(l, x->b, dim));
}

static bool is_mixed(const struct gcal_lanes_walk *l, size_t dim, bool ignores_conditions)
{
    bool mixed = mixes(l, l->domain.offset, dim);

    for (size_t i = 0; i < l->domain.n_conditions && !mixed && !ignores_conditions; i++)
        mixed = condition_mixes(l, l->domain.conditions[i], dim);
    return mixed;
}

/* What of the values of a dimension is walked at a time: period*q + start + r for all
 * q < quotients and r < n.
 */
struct part {
    int64_t start, n;
    const struct gcal_poly *quotients;
};

/* The part of l->part of 'trips' values; false: it has too many parts. */
static bool choose_part(struct gcal_lanes_walk *l, const struct gcal_poly *trips,
                        int64_t period, struct part *part)
{
    struct gcal_poly_context *c = l->nest->c;
    const struct gcal_poly *whole = gcal_poly_floor(c, trips, period);
    int64_t number, n_parts = period, rest;
    bool constant = gcal_poly_is_constant(trips, &number),
         divides = gcal_poly_equal(gcal_poly_scale(c, whole, period, 1), trips);

    if (!l->fixes_remainders && (divides || l->sum->all_lanes)) {
        *part = (struct part){ 0, period,
                               divides ? whole : gcal_poly_scale(c, trips, 1, period) };
        return true;
    }
    if (!l->fixes_remainders && constant)
        n_parts = 2;
    if (n_parts * (int64_t)l->n_parts > MOST_PARTS)
        return false;
    rest = (int64_t)l->part / (int64_t)l->n_parts % n_parts;
    l->n_parts *= (size_t)n_parts;
    if (!l->fixes_remainders && constant)
        *part = rest ? (struct part){ 0, number % period,
                                      gcal_poly_integer(c, number / period + 1) }
                     : (struct part){ number % period, period - number % period, whole };
    else
        *part = (struct part){
            rest, 1,
            gcal_poly_floor(
                c, gcal_poly_add(c, trips, gcal_poly_integer(c, period - 1 - rest)),
                period)
        };
    return true;
}

/* Replaces the dimension; false when that is not possible. */
static bool split(struct gcal_lanes_walk *l, size_t dim, int64_t period)
{
    struct gcal_poly_context *c = l->nest->c;
    struct gcal_sets_domain *domain = &l->domain;
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *quotient;
    struct replacing r = { .c = c, .atom = domain->dims[dim] };
    size_t n_parts = l->n_parts;
    struct part part;

    if (domain->n_dims == GCAL_SETS_MAX_DIMS ||
        !choose_part(l, domain->trips[dim], period, &part)) {
        l->n_parts = n_parts;
        return false;
    }
    quotient = gcal_poly_dimension(c, "quotient", gcal_poly_sub(c, part.quotients, one));
    r.value = gcal_poly_add(c, gcal_poly_scale(c, quotient, period, 1),
                            gcal_poly_integer(c, part.start));
    if (part.n > 1) {
        const struct gcal_poly *remainder =
            gcal_poly_dimension(c, "remainder", gcal_poly_integer(c, part.n - 1));

        r.value = gcal_poly_add(c, r.value, remainder);
        domain->dims[domain->n_dims] = gcal_poly_atom_index(remainder);
        domain->is_lid[domain->n_dims] = false;
        domain->trips[domain->n_dims] = gcal_poly_integer(c, part.n);
        l->enumerated[domain->n_dims++] = true;
    }
    domain->offset = replace(domain->offset, &r);
    for (size_t i = 0; i < domain->n_conditions; i++)
        domain->conditions[i] =
            gcal_sets_condition_map(c, domain->conditions[i], replace, &r);
    domain->dims[dim] = gcal_poly_atom_index(quotient);
    domain->trips[dim] = part.quotients;
    return true;
}

/* Which dimensions are replaced does not depend on the part: it follows from them all as they
 * were.
 */
void gcal_lanes_split_remainders(struct gcal_lanes_walk *l, bool ignores_conditions)
{
    size_t n_dims = l->domain.n_dims;
    int64_t periods[GCAL_SETS_MAX_DIMS] = { 0 }, trips;

    l->n_parts = 1;
    for (size_t i = 0; i < n_dims; i++)
        if (l->domain.is_lid[i] || !is_mixed(l, i, ignores_conditions) ||
            !find_period(l, i, ignores_conditions, &periods[i]) ||
            (gcal_poly_is_constant(l->domain.trips[i], &trips) && trips <= periods[i] &&
             !l->fixes_remainders))
            periods[i] = 0;
    for (size_t i = 0; i < n_dims; i++)
        if (periods[i])
            split(l, i, periods[i]);
    gcal_sets_domain_find_components(&l->domain);
}
