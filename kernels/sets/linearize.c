/* linearize.c - two dimensions of which one continues the other
 *
 * A loop that steps by the global size visits work-items' ids and iterations as one
 * sequence: with 0 <= group < groups and v >= 0, the number group + groups*v takes each
 * value from 0 once.  Where a domain depends on both dimensions as x + n*y alone, with
 * 0 <= x < n, one dimension replaces them: products of sizes and dimensions vanish, and so
 * does n.  The same joins the parts of an index like columns*row + column.
 */
#include <limits.h>

#include "kernels/base/array.h"
#include "kernels/sets/private.h"

/* ---- which dimensions ---- */

static bool is_multiplied_in(struct gcal_poly_context *c, const struct gcal_poly *p,
                             unsigned atom)
{
    int64_t number;

    return gcal_poly_degree(p, atom) &&
           !gcal_poly_is_constant(gcal_poly_coefficient(c, p, atom, 1), &number);
}

static bool is_multiplied_in_condition(struct gcal_poly_context *c,
                                       const struct gcal_sets_condition *x, unsigned atom)
{
    return (x->p && is_multiplied_in(c, x->p, atom)) ||
           (x->a && is_multiplied_in_condition(c, x->a, atom)) ||
           (x->b && is_multiplied_in_condition(c, x->b, atom));
}

/* Returns whether a condition or a range contains a product of the dimension and a size. */
static bool is_multiplied(const struct gcal_sets_domain *domain, size_t dim)
{
    struct gcal_poly_context *c = domain->nest->c;
    unsigned atom = domain->dims[dim];
    struct gcal_sets_bounds bounds;

    for (size_t i = 0; i < domain->n_conditions; i++)
        if (is_multiplied_in_condition(c, domain->conditions[i], atom))
            return true;
    if (domain->branch && is_multiplied_in_condition(c, domain->branch, atom))
        return true;
    for (size_t i = 0; i < domain->n_dims; i++) {
        if (!gcal_sets_has_products(c, domain->trips[i]) ||
            !gcal_sets_domain_find_bounds(domain, i, &bounds))
            continue;
        for (size_t j = 0; j < bounds.n; j++)
            if (is_multiplied_in(c, bounds.p[j], atom))
                return true;
    }
    return false;
}

/* ---- joining two dimensions ---- */

struct join {
    struct gcal_poly_context *c;
    unsigned x, y;                 /* atoms of the two dimensions */
    const struct gcal_poly *k;     /* the dimension that replaces them */
    const struct gcal_poly *value; /* of x: k - n*y */
    struct gcal_sets_bounds x_bounds, y_bounds;
};

const struct gcal_poly *gcal_sets_joined_dimension(struct gcal_sets_nest *nest,
                                                   unsigned x, unsigned y,
                                                   const struct gcal_poly *last)
{
    struct gcal_sets_joined *moved;

    for (size_t i = 0; i < nest->n_joined; i++)
        if (nest->joined[i].x == x && nest->joined[i].y == y &&
            gcal_poly_equal(nest->joined[i].last, last))
            return nest->joined[i].both;
    moved = gcal_array_grow(nest->joined, nest->n_joined, &nest->joined_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_poly_fail(nest->c, "out of memory");
        return gcal_poly_integer(nest->c, 0);
    }
    nest->joined = moved;
    moved[nest->n_joined] =
        (struct gcal_sets_joined){ x, y, last,
                                   gcal_poly_dimension(nest->c, "index", last) };
    return moved[nest->n_joined++].both;
}

/* Takes from the bounds of 'atom' one that is "atom < length" for a length without
 * dimensions, which it returns; NULL without.
 */
static const struct gcal_poly *take_length(struct gcal_poly_context *c, unsigned atom,
                                           struct gcal_sets_bounds *bounds)
{
    const struct gcal_poly *next =
        gcal_poly_add(c, gcal_poly_from_atom(c, atom), gcal_poly_integer(c, 1));

    for (size_t i = 0; i < bounds->n; i++) {
        const struct gcal_poly *length = gcal_poly_add(c, bounds->p[i], next);

        if (gcal_poly_has_dimension(c, length))
            continue;
        bounds->p[i] = bounds->p[--bounds->n];
        return length;
    }
    return NULL;
}

/* p in terms of k; a condition that the bounds of the two dimensions imply always holds,
 * like id < n around a loop from id to n.
 */
static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct join *join = data;
    struct gcal_poly_context *c = join->c;
    const struct gcal_poly *q;

    if (!gcal_poly_contains(c, p, join->x) && !gcal_poly_contains(c, p, join->y))
        return p;
    q = gcal_poly_substitute(c, p, join->x, join->value);
    if (!gcal_poly_contains(c, q, join->y))
        return q;
    for (size_t i = 0; i < join->y_bounds.n; i++)
        if (gcal_poly_is_nonnegative_given(c, join->y_bounds.p[i], p))
            return gcal_poly_integer(c, 0);
    return q;
}

/* Returns whether a condition, a range, the branch or the offset depends on the dimension. */
static bool is_needed(const struct gcal_sets_domain *domain, unsigned atom)
{
    struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_poly_contains(c, domain->trips[i], atom))
            return true;
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_condition_contains(c, domain->conditions[i], atom))
            return true;
    return (domain->branch && gcal_sets_condition_contains(c, domain->branch, atom)) ||
           (domain->offset && gcal_poly_contains(c, domain->offset, atom));
}

void gcal_sets_domain_substitute(struct gcal_sets_domain *domain, unsigned atom,
                                 const struct gcal_poly *value)
{
    struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_poly_contains(c, domain->trips[i], atom))
            domain->trips[i] = gcal_poly_substitute(c, domain->trips[i], atom, value);
    if (domain->offset)
        domain->offset = gcal_poly_substitute(c, domain->offset, atom, value);
}

/* In everything but the ranges of the two dimensions themselves. */
static void replace_all(struct gcal_sets_domain *domain, struct join *join)
{
    struct gcal_poly_context *c = join->c;
    size_t n = 0;

    gcal_sets_domain_substitute(domain, join->x, join->value);
    for (size_t i = 0; i < domain->n_conditions; i++) {
        const struct gcal_sets_condition *changed =
            gcal_sets_condition_map(c, domain->conditions[i], replace, join);

        if (gcal_sets_condition_decide(c, changed) != 1)
            domain->conditions[n++] = changed;
    }
    domain->n_conditions = n;
    if (domain->branch)
        domain->branch = gcal_sets_condition_map(c, domain->branch, replace, join);
}

/* Adds bounds of a replaced dimension as conditions.  One that bounds k becomes '*trips'
 * instead, as long as that is NULL.
 */
static bool add_bounds(struct gcal_sets_domain *domain, struct join *join,
                       const struct gcal_sets_bounds *bounds,
                       const struct gcal_poly **trips)
{
    for (size_t i = 0; i < bounds->n; i++) {
        const struct gcal_poly *p =
            gcal_poly_substitute(join->c, bounds->p[i], join->x, join->value);

        if (!*trips &&
            (*trips = gcal_sets_bound_trips(join->c, p, gcal_poly_atom_index(join->k))))
            continue;
        if (domain->n_conditions == GCAL_SETS_MAX_CONDITIONS)
            return false;
        domain->conditions[domain->n_conditions++] =
            gcal_sets_condition_nonnegative(join->c, p);
    }
    return true;
}

/* Returns whether a dimension may vanish: not one whose values are projected to sub-groups,
 * nor a group's where groups differ.
 */
static bool may_join(const struct gcal_sets_domain *domain, size_t dim)
{
    if (domain->keeps_groups && dim < 2 * domain->nest->n_dims && dim % 2 == 0)
        return false;
    if (domain->keeps_lanes && domain->is_lid[dim])
        return false;
    return !domain->is_lid[dim] || domain->mode == GCAL_SETS_COUNT_WORK_ITEMS ||
           (domain->block[dim] == 1 && !domain->linear);
}

static void set_dim(struct gcal_sets_domain *domain, size_t dim,
                    const struct gcal_poly *atom, const struct gcal_poly *trips)
{
    domain->dims[dim] = gcal_poly_atom_index(atom);
    domain->trips[dim] = trips;
    domain->is_lid[dim] = false;
    domain->block[dim] = 1;
}

/* One dimension for x and y; false when that is not possible, and the domain is then
 * unchanged.  Places of dimensions stay as they are: k has that of y.
 */
static bool join(struct gcal_sets_domain *domain, size_t x, size_t y)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct join join = { .c = c, .x = domain->dims[x], .y = domain->dims[y] };
    struct gcal_sets_domain tried = *domain;
    const struct gcal_poly *n, *length, *trips, *none, *one = gcal_poly_integer(c, 1);

    if (!may_join(domain, x) || !may_join(domain, y) ||
        !(is_needed(domain, join.x) || gcal_poly_contains(c, domain->trips[x], join.y)) ||
        !gcal_sets_domain_find_bounds(domain, x, &join.x_bounds) ||
        !gcal_sets_domain_find_bounds(domain, y, &join.y_bounds) ||
        !(n = take_length(c, join.x, &join.x_bounds)) || !gcal_poly_is_nonnegative(c, n))
        return false;
    if (gcal_poly_equal(n, one))
        return false;
    length = take_length(c, join.y, &join.y_bounds);
    if (!length && !gcal_poly_is_nonnegative(c, gcal_poly_sub(c, n, one)))
        return false;
    trips = length ? gcal_poly_mul(c, n, length) : NULL;
    join.k = gcal_sets_joined_dimension(domain->nest, join.x, join.y,
                                        length ? gcal_poly_sub(c, trips, one)
                                               : gcal_poly_integer(c, INT32_MAX));
    none = gcal_sets_joined_dimension(domain->nest, gcal_poly_atom_index(join.k), join.x,
                                      gcal_poly_integer(c, 0));
    join.value =
        gcal_poly_sub(c, join.k, gcal_poly_mul(c, n, gcal_poly_from_atom(c, join.y)));
    tried.trips[x] = tried.trips[y] = one;
    replace_all(&tried, &join);
    if (!add_bounds(&tried, &join, &join.y_bounds, &trips) ||
        !add_bounds(&tried, &join, &join.x_bounds, &trips) || !trips)
        return false;
    set_dim(&tried, x, none, one);
    set_dim(&tried, y, join.k, trips);
    if (is_needed(&tried, join.x) || is_needed(&tried, join.y))
        return false;
    *domain = tried;
    return true;
}

/* Joins a dimension that is multiplied by a size or has such a range, or is a joined one,
 * with another before it.
 */
static bool join_any(struct gcal_sets_domain *domain, bool *is_joined)
{
    for (size_t y = 0; y < domain->n_dims; y++) {
        if (!is_joined[y] && !is_multiplied(domain, y) &&
            !gcal_sets_has_products(domain->nest->c, domain->trips[y]))
            continue;
        for (size_t x = 0; x < domain->n_dims; x++)
            if (x != y && join(domain, x, y))
                return is_joined[y] = true;
    }
    return false;
}

void gcal_sets_domain_linearize(struct gcal_sets_domain *domain)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct gcal_sets_domain tried = *domain;
    bool is_joined[GCAL_SETS_MAX_DIMS] = { false }, any = false;

    if (!gcal_sets_domain_has_products(domain))
        return;
    for (size_t i = 0; i < tried.n_conditions; i++)
        tried.conditions[i] = gcal_sets_condition_multiply_out(c, tried.conditions[i]);
    if (tried.branch)
        tried.branch = gcal_sets_condition_multiply_out(c, tried.branch);
    while (!gcal_poly_context_has_failed(c) && join_any(&tried, is_joined))
        any = true;
    if (any)
        *domain = tried;
}
