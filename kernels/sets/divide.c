/* divide.c - conditions on quotients, and on multiples of a size and a remainder
 *
 * floor(p/q) >= r holds where p >= q*r, for q >= 1: without the quotient, such a condition
 * is affine more often, and terms of it cancel.
 *
 * size*x + y >= bound is not affine for a symbolic size.  Where 0 <= y < size, and bound
 * is size*q + r with 0 <= r < size, it holds where x > q, or x = q and y >= r: q and r are
 * sizes, and all this is affine.
 */
#include "kernels/sets/private.h"

/* ---- products of sizes and dimensions ---- */

bool gcal_sets_has_products(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        bool with = false, without = false;

        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);
            bool has = gcal_poly_atom_has_dimension(c, atom);

            with = with || has;
            without = without || !has;
            if (has && (a.kind == GCAL_POLY_ATOM_QUOTIENT ||
                        (a.kind >= GCAL_POLY_ATOM_FLOOR &&
                         (gcal_sets_has_products(c, a.a) ||
                          (a.b && gcal_sets_has_products(c, a.b))))))
                return true;
        }
        if (with && without)
            return true;
    }
    return false;
}

static bool condition_has_products(const struct gcal_poly_context *c,
                                   const struct gcal_sets_condition *x)
{
    return (x->p && gcal_sets_has_products(c, x->p)) ||
           (x->a && condition_has_products(c, x->a)) ||
           (x->b && condition_has_products(c, x->b));
}

bool gcal_sets_domain_has_products(const struct gcal_sets_domain *domain)
{
    const struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_sets_has_products(c, domain->trips[i]))
            return true;
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (condition_has_products(c, domain->conditions[i]))
            return true;
    return domain->branch && condition_has_products(c, domain->branch);
}

/* ---- without quotients ---- */

/* Returns whether an atom is a quotient or floor of dimensions. */
static bool hinders(const struct gcal_poly_context *c, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);

    return (a.kind == GCAL_POLY_ATOM_QUOTIENT && gcal_poly_has_dimension(c, a.a)) ||
           (a.kind == GCAL_POLY_ATOM_FLOOR && a.k > 1 && gcal_poly_has_dimension(c, a.a));
}

/* The term of p that is such an atom, times 1 or -1, which occurs nowhere else; NULL
 * without.
 */
static const struct gcal_poly_term *find_lone_quotient(struct gcal_poly_context *c,
                                                       const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];

        if (t->n_factors != 1 || t->factors[0].power != 1 || t->den != 1 ||
            (t->num != 1 && t->num != -1) || !hinders(c, t->factors[0].atom))
            continue;
        if (gcal_poly_degree(p, t->factors[0].atom) == 1 &&
            !gcal_poly_contains(c, gcal_poly_coefficient(c, p, t->factors[0].atom, 0),
                                t->factors[0].atom))
            return t;
    }
    return NULL;
}

const struct gcal_poly *gcal_sets_multiply_out(struct gcal_poly_context *c,
                                               const struct gcal_poly *p)
{
    enum { MOST_QUOTIENTS = 4 };
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *rest, *divisor;

    for (int i = 0; i < MOST_QUOTIENTS; i++) {
        const struct gcal_poly_term *t = find_lone_quotient(c, p);
        struct gcal_poly_atom a;

        if (!t || !gcal_poly_is_integral(p))
            return p;
        a = gcal_poly_get_atom(c, t->factors[0].atom);
        divisor = a.b ? a.b : gcal_poly_integer(c, a.k);
        rest = gcal_poly_coefficient(c, p, t->factors[0].atom, 0);
        p = t->num > 0
                ? gcal_poly_add(c, a.a, gcal_poly_mul(c, rest, divisor))
                : gcal_poly_sub(c, gcal_poly_mul(c, gcal_poly_add(c, rest, one), divisor),
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
    /* again, as a minimum in a quotient becomes two conditions */
    condition = gcal_sets_condition_map(c, condition, multiply_out, c);
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

/* ---- division ---- */

/* size*whole + rest + sizes >= 0 */
struct division {
    const struct gcal_poly *size;  /* at least 1 */
    const struct gcal_poly *whole; /* integer multiples of dimensions */
    const struct gcal_poly *rest;  /* with dimensions, from 0 to size-1 */
    const struct gcal_poly *sizes; /* without */
};

/* Divides by the size that the dimension 'atom' is multiplied by; false if there is no
 * such size, or it may be 0.
 */
static bool divide_by(const struct gcal_sets_domain *domain, const struct gcal_poly *p,
                      unsigned atom, struct division *d)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *factor;
    int64_t number;

    d->size = gcal_poly_coefficient(c, p, atom, 1);
    if (gcal_poly_is_constant(d->size, &number) || gcal_poly_has_dimension(c, d->size))
        return false;
    if (!gcal_poly_is_nonnegative(c, gcal_poly_sub(c, d->size, one)))
        d->size = gcal_poly_scale(c, d->size, -1, 1);
    if (!gcal_poly_is_nonnegative(c, gcal_poly_sub(c, d->size, one)))
        return false;
    d->whole = gcal_poly_integer(c, 0);
    d->sizes = p;
    for (size_t i = 0; i < domain->n_dims; i++) {
        const struct gcal_poly *dim = gcal_poly_from_atom(c, domain->dims[i]);

        factor =
            gcal_poly_divide(c, gcal_poly_coefficient(c, p, domain->dims[i], 1), d->size);
        if (!factor || !gcal_poly_is_constant(factor, &number) || !number)
            continue;
        d->whole = gcal_poly_add(c, d->whole, gcal_poly_scale(c, dim, number, 1));
        d->sizes = gcal_poly_sub(
            c, d->sizes, gcal_poly_mul(c, gcal_poly_scale(c, d->size, number, 1), dim));
    }
    return true;
}

/* Returns whether a term is a fraction of the size: -64*g of 128*g. */
static bool is_part_of(struct gcal_poly_context *c, const struct gcal_poly *term,
                       const struct gcal_poly *size)
{
    const struct gcal_poly *fraction = gcal_poly_divide(c, term, size);

    return fraction && fraction->n_terms == 1 && !fraction->terms[0].n_factors &&
           fraction->terms[0].den > 1;
}

/* Parts the remainder from the sizes.  With 'parts', fractions of the size belong to the
 * remainder, so that conditions that differ in them have one quotient.
 */
static void part(struct gcal_poly_context *c, struct division *d,
                 const struct gcal_poly *p, bool parts)
{
    d->rest = d->sizes = gcal_poly_integer(c, 0);
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        const struct gcal_poly *one = gcal_poly_rational(c, t->num, t->den);

        for (size_t j = 0; j < t->n_factors; j++)
            for (unsigned k = 0; k < t->factors[j].power; k++)
                one = gcal_poly_mul(c, one, gcal_poly_from_atom(c, t->factors[j].atom));
        if (gcal_poly_has_dimension(c, one) || (parts && is_part_of(c, one, d->size)))
            d->rest = gcal_poly_add(c, d->rest, one);
        else
            d->sizes = gcal_poly_add(c, d->sizes, one);
    }
}

/* The least multiple of a bound that has at least p's part in 'atom': c - 1 - 32*k >= 0
 * follows from 32 times floor((c+31)/32) - 1 - k >= 0.
 */
static const struct gcal_poly *multiple_of(struct gcal_poly_context *c,
                                           const struct gcal_poly *bound,
                                           const struct gcal_poly *p, unsigned atom)
{
    int64_t of_bound, of_p;

    if (!gcal_poly_is_constant(gcal_poly_coefficient(c, bound, atom, 1), &of_bound) ||
        !gcal_poly_is_constant(gcal_poly_coefficient(c, p, atom, 1), &of_p) ||
        !of_bound || of_p % of_bound || of_p / of_bound < 1)
        return bound;
    return gcal_poly_scale(c, bound, of_p / of_bound, 1);
}

/* Returns whether p >= 0 in the domain, by itself or as an affine bound of a dimension in it. */
static bool is_nonnegative(const struct gcal_sets_domain *domain,
                           const struct gcal_poly *p)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct gcal_sets_bounds bounds;

    if (gcal_poly_is_nonnegative(c, p))
        return true;
    for (size_t i = 0; i < domain->n_dims; i++) {
        if (!gcal_poly_contains(c, p, domain->dims[i]) ||
            !gcal_sets_domain_find_bounds(domain, i, &bounds))
            continue;
        for (size_t j = 0; j < bounds.n; j++)
            if (!gcal_sets_has_products(c, bounds.p[j]) &&
                gcal_poly_is_nonnegative_given(
                    c, multiple_of(c, bounds.p[j], p, domain->dims[i]), p))
                return true;
    }
    return false;
}

static bool divide(const struct gcal_sets_domain *domain, const struct gcal_poly *p,
                   struct division *d)
{
    if (!gcal_poly_is_integral(p))
        return false;
    for (size_t i = 0; i < domain->n_dims; i++) {
        const struct gcal_poly *others;

        if (gcal_poly_degree(p, domain->dims[i]) != 1 ||
            !divide_by(domain, p, domain->dims[i], d))
            continue;
        others = d->sizes;
        for (int parts = 1; parts >= 0; parts--) {
            part(domain->nest->c, d, others, parts);
            /* Moves the remainder into 0 .. size-1, if it is within one size of that. */
            struct gcal_poly_context *c = domain->nest->c;
            const struct gcal_poly *last =
                gcal_poly_sub(c, d->size, gcal_poly_integer(c, 1));

            if (!is_nonnegative(domain, d->rest)) {
                d->rest = gcal_poly_add(c, d->rest, last);
                d->sizes = gcal_poly_sub(c, d->sizes, last);
            }
            if (is_nonnegative(domain, d->rest) &&
                is_nonnegative(domain, gcal_poly_sub(c, last, d->rest)))
                return true;
        }
    }
    return false;
}

struct dividing {
    const struct gcal_sets_domain *domain;
    int depth;
};

static const struct gcal_sets_condition *as_affine(const struct gcal_poly *p, void *data);

/* A condition that a minimum or maximum has made of one. */
static const struct gcal_sets_condition *
divide_parts(const struct gcal_sets_condition *condition, struct dividing *dividing)
{
    dividing->depth++;
    condition = gcal_sets_condition_map_leaves(dividing->domain->nest->c, condition,
                                               as_affine, dividing);
    dividing->depth--;
    return condition;
}

/* p >= 0 for a p with products of sizes and dimensions, as an affine condition where it
 * can be divided.
 */
static const struct gcal_sets_condition *as_affine(const struct gcal_poly *p, void *data)
{
    enum { MOST_NESTED = 3 };
    struct dividing *dividing = data;
    struct gcal_poly_context *c = dividing->domain->nest->c;
    const struct gcal_sets_condition *more, *equal, *last;
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *q, *r;
    struct division d;

    more = gcal_sets_condition_nonnegative(c, p);
    if (!gcal_sets_has_products(c, p))
        return more;
    more = gcal_sets_condition_multiply_out(c, more);
    if (more->kind != GCAL_SETS_CONDITION_NONNEGATIVE)
        return dividing->depth == MOST_NESTED ? more : divide_parts(more, dividing);
    p = more->p;
    if (!gcal_sets_has_products(c, p) || dividing->depth == MOST_NESTED ||
        !divide(dividing->domain, p, &d))
        return gcal_sets_condition_nonnegative(c, p);
    q = gcal_poly_floor_quotient(c, d.sizes, d.size);
    r = gcal_poly_sub(c, d.sizes, gcal_poly_mul(c, q, d.size));
    q = gcal_poly_add(c, q, d.whole);
    more = gcal_sets_condition_nonnegative(c, q);
    if (!d.rest->n_terms)
        return more;
    equal = gcal_sets_condition_nonnegative(c, gcal_poly_add(c, q, one));
    dividing->depth++;
    last = as_affine(gcal_poly_sub(c, gcal_poly_add(c, d.rest, r), d.size), data);
    dividing->depth--;
    return gcal_sets_condition_or(c, more, gcal_sets_condition_and(c, equal, last));
}

/* ---- ranges ---- */

/* The trips that a bound of the dimension 'atom' alone allows at most; NULL when that is
 * unknown.
 */
static const struct gcal_poly *most_trips(const struct gcal_sets_domain *domain,
                                          const struct gcal_poly *bound, unsigned atom)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct division d;

    if (!gcal_sets_has_products(c, bound))
        return gcal_sets_bound_trips(c, bound, atom);
    if (!divide(domain, bound, &d) ||
        !gcal_poly_equal(d.whole,
                         gcal_poly_scale(c, gcal_poly_from_atom(c, atom), -1, 1)))
        return NULL;
    /* size*v <= rest + sizes < size*(floor(sizes/size) + 2) */
    return gcal_poly_add(c, gcal_poly_floor_quotient(c, d.sizes, d.size),
                         gcal_poly_integer(c, d.rest->n_terms ? 2 : 1));
}

/* Replaces a range that is not affine by one that is, and conditions. */
static void divide_range(struct gcal_sets_domain *domain, size_t dim)
{
    struct dividing dividing = { domain, 0 };
    const struct gcal_poly *trips = NULL;
    struct gcal_sets_bounds bounds;

    if (!gcal_sets_domain_find_bounds(domain, dim, &bounds) ||
        domain->n_conditions + bounds.n > GCAL_SETS_MAX_CONDITIONS)
        return;
    for (size_t i = 0; i < bounds.n && !trips; i++)
        trips = most_trips(domain, bounds.p[i], domain->dims[dim]);
    if (!trips)
        return;
    for (size_t i = 0; i < bounds.n; i++)
        domain->conditions[domain->n_conditions++] = as_affine(bounds.p[i], &dividing);
    domain->trips[dim] = trips;
}

void gcal_sets_domain_divide(struct gcal_sets_domain *domain)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct dividing dividing = { domain, 0 };

    for (size_t i = 0; i < domain->n_conditions; i++)
        domain->conditions[i] = gcal_sets_condition_map_leaves(c, domain->conditions[i],
                                                               as_affine, &dividing);
    if (domain->branch)
        domain->branch =
            gcal_sets_condition_map_leaves(c, domain->branch, as_affine, &dividing);
    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_sets_has_products(c, domain->trips[i]))
            divide_range(domain, i);
}
