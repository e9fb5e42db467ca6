/* unfold.c - quotients in subscripts as dimensions of their own, for estimates
 *
 * Where a subscript has floor(p/d), the quotient and, if p itself is in the subscript, the
 * remainder are digits of p: p = d*quotient + remainder.  They vary independently of each
 * other, but for the ends, so two dimensions with the ranges of the digits replace those
 * in p.
 */
#include "kernels/sets/private.h"

enum { MOST_QUOTIENTS = 8, UNITS = 64 };

struct unfolding {
    struct gcal_sets_unfold *to;
    struct gcal_sets_domain *domain;
    struct gcal_poly_context *c;
    unsigned atom; /* the quotient that is replaced */
    const struct gcal_poly *p, *d;
};

/* ---- which quotient ---- */

static bool is_quotient(const struct gcal_poly_context *c, unsigned atom)
{
    enum gcal_poly_atom_kind kind = gcal_poly_get_atom(c, atom).kind;

    return (kind == GCAL_POLY_ATOM_FLOOR || kind == GCAL_POLY_ATOM_QUOTIENT) &&
           gcal_poly_atom_has_dimension(c, atom);
}

static const struct gcal_poly *divisor_of(struct gcal_poly_context *c, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);

    return a.b ? a.b : gcal_poly_integer(c, a.k);
}

/* Takes an innermost quotient in p, of those of one dividend the one with the least
 * divisor; false: there is none.
 */
static bool find(struct unfolding *u, const struct gcal_poly *p)
{
    bool found = false;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            const struct gcal_poly *inner, *times;

            if (!is_quotient(u->c, atom))
                continue;
            found = true;
            inner = gcal_poly_get_atom(u->c, atom).a;
            if (find(u, inner) ||
                (u->p &&
                 (!gcal_poly_equal(inner, u->p) ||
                  !(times = gcal_poly_divide(u->c, u->d, divisor_of(u->c, atom))) ||
                  !gcal_poly_is_integral(times))))
                continue;
            u->atom = atom;
            u->p = inner;
            u->d = divisor_of(u->c, atom);
        }
    return found;
}

/* ---- its range ---- */

/* The largest value of p without its least one; NULL: unknown. */
static const struct gcal_poly *find_span(const struct unfolding *u)
{
    const struct gcal_poly *sum = gcal_poly_integer(u->c, 0), *extent;

    for (size_t i = 0; i < u->domain->n_dims; i++) {
        unsigned dim = u->domain->dims[i];
        const struct gcal_poly *k = gcal_poly_coefficient(u->c, u->p, dim, 1);

        if (gcal_poly_contains_nested(u->c, u->p, dim) ||
            gcal_poly_degree(u->p, dim) > 1 || gcal_poly_has_dimension(u->c, k))
            return NULL;
        if (!k->n_terms)
            continue;
        if (!(extent = gcal_sets_unfold_extent(u->to, u->domain, i)))
            return NULL;
        sum = gcal_poly_add(
            u->c, sum,
            gcal_poly_mul(
                u->c,
                k->n_terms && k->terms[0].num < 0 ? gcal_poly_scale(u->c, k, -1, 1) : k,
                gcal_poly_sub(u->c, extent, gcal_poly_integer(u->c, 1))));
    }
    return gcal_poly_has_dimension(u->c, sum) ? NULL : sum;
}

/* The quotients that there are of a dividend with this span: on average, as it begins
 * anywhere, but for a whole launch.
 */
static const struct gcal_poly *count_quotients(const struct unfolding *u,
                                               const struct gcal_poly *span)
{
    const struct gcal_poly *one = gcal_poly_integer(u->c, 1);

    if (u->to->from_zero)
        return gcal_poly_add(u->c, one, gcal_poly_floor_quotient(u->c, span, u->d));
    span = gcal_poly_floor_quotient(u->c, gcal_poly_scale(u->c, span, UNITS, 1), u->d);
    return gcal_poly_add(u->c, one, gcal_poly_scale(u->c, span, 1, UNITS));
}

/* ---- in its place ---- */

/* How many times all dimensions of p are in the subscript, each as often as in p; NULL:
 * they are not, or not all.
 */
static const struct gcal_poly *times_in_offset(const struct unfolding *u)
{
    const struct gcal_poly *times = NULL;

    for (size_t i = 0; i < u->domain->n_dims; i++) {
        unsigned dim = u->domain->dims[i];
        const struct gcal_poly *k = gcal_poly_coefficient(u->c, u->p, dim, 1), *one;

        if (!k->n_terms)
            continue;
        one = gcal_poly_divide(u->c,
                               gcal_poly_coefficient(u->c, u->domain->offset, dim, 1), k);
        if (!one || !one->n_terms || gcal_poly_has_dimension(u->c, one) ||
            (times && !gcal_poly_equal(one, times)))
            return NULL;
        times = one;
    }
    return times;
}

/* A new dimension; NULL: there is no room. */
static const struct gcal_poly *add_dimension(struct unfolding *u, const char *name,
                                             const struct gcal_poly *trips)
{
    struct gcal_sets_domain *domain = u->domain;
    const struct gcal_poly *v;

    if (domain->n_dims == GCAL_SETS_MAX_DIMS)
        return NULL;
    v = gcal_poly_dimension(u->c, name, NULL);
    domain->dims[domain->n_dims] = gcal_poly_atom_index(v);
    domain->is_lid[domain->n_dims] = false;
    domain->trips[domain->n_dims++] = trips;
    return v;
}

/* Puts floor(v/e) for other quotients of the same dividend by d*e. */
static void replace_multiples(struct unfolding *u, const struct gcal_poly *p,
                              const struct gcal_poly *v)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            const struct gcal_poly *inner, *times;

            if (atom == u->atom || !is_quotient(u->c, atom))
                continue;
            inner = gcal_poly_get_atom(u->c, atom).a;
            if (!gcal_poly_equal(inner, u->p)) {
                replace_multiples(u, inner, v);
                continue;
            }
            times = gcal_poly_divide(u->c, divisor_of(u->c, atom), u->d);
            if (times && gcal_poly_is_integral(times))
                u->domain->offset =
                    gcal_poly_substitute(u->c, u->domain->offset, atom,
                                         gcal_poly_floor_quotient(u->c, v, times));
        }
}

static bool replace(struct unfolding *u)
{
    const struct gcal_poly *span = find_span(u),
                           *times = span ? times_in_offset(u) : NULL, *v, *rest, *digits;

    if (!span || !(v = add_dimension(u, "quotient", count_quotients(u, span))))
        return false;
    replace_multiples(u, u->domain->offset, v);
    u->domain->offset = gcal_poly_substitute(u->c, u->domain->offset, u->atom, v);
    if (!times)
        return true;
    span =
        gcal_poly_min(u->c, u->d, gcal_poly_add(u->c, span, gcal_poly_integer(u->c, 1)));
    if (!(rest = add_dimension(u, "remainder", span)))
        return false;
    digits = gcal_poly_add(u->c, rest, gcal_poly_mul(u->c, u->d, v));
    u->domain->offset =
        gcal_poly_add(u->c, u->domain->offset,
                      gcal_poly_mul(u->c, times, gcal_poly_sub(u->c, digits, u->p)));
    return true;
}

/* ---- numbers that are data ---- */

static bool has_dimension(const struct gcal_sets_domain *domain, unsigned atom)
{
    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->dims[i] == atom)
            return true;
    return false;
}

/* Marks the dimensions that numbers in p depend on. */
static void mark_origins(struct gcal_sets_unfold *unfold,
                         const struct gcal_sets_domain *domain, const struct gcal_poly *p)
{
    struct gcal_poly_context *c = domain->nest->c;

    for (const struct gcal_sets_number *n = domain->nest->numbers; n; n = n->next) {
        if (!gcal_poly_contains(c, p, gcal_poly_atom_index(n->value)))
            continue;
        for (size_t i = 0; i < unfold->n_dims; i++)
            unfold->is_origin[i] =
                unfold->is_origin[i] || gcal_poly_contains(c, n->of, domain->dims[i]);
        mark_origins(unfold, domain, n->of);
    }
}

/* Of how many places they are; NULL: unknown. */
static const struct gcal_poly *count_origins(const struct gcal_sets_unfold *unfold,
                                             const struct gcal_sets_domain *domain)
{
    const struct gcal_poly *product = gcal_poly_integer(domain->nest->c, 1), *one;

    for (size_t i = 0; i < unfold->n_dims; i++) {
        if (!unfold->is_origin[i])
            continue;
        if (!(one = gcal_sets_unfold_extent(unfold, domain, i)))
            return NULL;
        product = gcal_poly_mul(domain->nest->c, product, one);
    }
    return product;
}

/* Adds those in the offset as dimensions, which have their values together. */
static bool unfold_numbers(struct gcal_sets_domain *domain,
                           struct gcal_sets_unfold *unfold)
{
    const struct gcal_poly *trips;

    mark_origins(unfold, domain, domain->offset);
    trips = count_origins(unfold, domain);
    for (const struct gcal_sets_number *n = domain->nest->numbers; n; n = n->next) {
        unsigned atom = gcal_poly_atom_index(n->value);

        if (!gcal_poly_contains(domain->nest->c, domain->offset, atom) ||
            has_dimension(domain, atom))
            continue;
        if (domain->n_dims == GCAL_SETS_MAX_DIMS || !trips)
            return false;
        domain->trips[domain->n_dims] = trips;
        domain->is_lid[domain->n_dims] = false;
        domain->dims[domain->n_dims++] = atom;
        trips = gcal_poly_integer(domain->nest->c, 1);
    }
    return true;
}

bool gcal_sets_is_number(const struct gcal_sets_nest *nest, unsigned atom)
{
    for (const struct gcal_sets_number *n = nest->numbers; n; n = n->next)
        if (gcal_poly_atom_index(n->value) == atom)
            return true;
    return false;
}

const struct gcal_poly *gcal_sets_unfold_extent(const struct gcal_sets_unfold *unfold,
                                                const struct gcal_sets_domain *domain,
                                                size_t dim)
{
    return dim < unfold->n_dims ? unfold->extent(unfold->data, domain, dim)
                                : domain->trips[dim];
}

bool gcal_sets_domain_unfold(struct gcal_sets_domain *domain,
                             struct gcal_sets_unfold *unfold)
{
    unfold->n_dims = domain->n_dims;
    if (!unfold_numbers(domain, unfold))
        return false;
    for (int i = 0; i < MOST_QUOTIENTS; i++) {
        struct unfolding u = { .to = unfold, .domain = domain, .c = domain->nest->c };

        if (!find(&u, domain->offset))
            return true;
        if (!u.p || !replace(&u))
            return false;
    }
    return false;
}
