/* domain.c - domains: the ids, loops and conditions around a scope, simplified, and their
 * independent components
 */
#include <limits.h>

#include "kernels/sets/private.h"

/* ---- an index divided by a size: a[id/cols][id%cols]
 *
 * floor(id/cols) is not affine in id, but id = cols*row + column is affine in the row and
 * the column, 0 <= column < cols.  So these two replace id among the dimensions.  In
 * conditions, cols*x + y >= 0 becomes x >= 0 where 0 <= y < cols.
 */

struct delinearization {
    struct gcal_poly_context *c;
    unsigned replaced, lid; /* atoms; lid: the local id that vanishes, or UINT_MAX */
    const struct gcal_poly *value, *size;
};

/* ---- the division ---- */

static bool find_in_poly(const struct gcal_poly_context *c, const struct gcal_poly *p,
                         unsigned *atom)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned factor = p->terms[i].factors[j].atom;
            struct gcal_poly_atom a = gcal_poly_get_atom(c, factor);

            if (a.kind < GCAL_POLY_ATOM_FLOOR)
                continue;
            if (find_in_poly(c, a.a, atom) || (a.b && find_in_poly(c, a.b, atom)))
                return true;
            if (a.kind == GCAL_POLY_ATOM_QUOTIENT && gcal_poly_has_dimension(c, a.a)) {
                *atom = factor;
                return true;
            }
        }
    return false;
}

static bool find_in_condition(const struct gcal_poly_context *c,
                              const struct gcal_sets_condition *x, unsigned *atom)
{
    return (x->p && find_in_poly(c, x->p, atom)) ||
           (x->a && find_in_condition(c, x->a, atom)) ||
           (x->b && find_in_condition(c, x->b, atom));
}

/* The first innermost division of dimensions by a size in the domain. */
static bool find_division(const struct gcal_sets_domain *domain, unsigned *atom)
{
    const struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (find_in_poly(c, domain->trips[i], atom))
            return true;
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (find_in_condition(c, domain->conditions[i], atom))
            return true;
    return domain->offset && find_in_poly(c, domain->offset, atom);
}

/* ---- rows and columns ---- */

/* The dimension that equals the index; or, for a global id, the group's dimension in
 * '*dim' and the local id's in '*lid'.
 */
static bool find_index(const struct gcal_sets_domain *domain,
                       const struct gcal_poly *index, size_t *dim, size_t *lid,
                       const struct gcal_poly **size)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_sets_nest *nest = domain->nest;

    *lid = SIZE_MAX;
    for (*dim = 0; *dim < domain->n_dims; ++*dim)
        if (!domain->is_lid[*dim] &&
            gcal_poly_equal(index, gcal_poly_from_atom(c, domain->dims[*dim]))) {
            *size = domain->trips[*dim];
            return true;
        }
    for (size_t d = 0; d < nest->n_dims && domain->mode == GCAL_SETS_COUNT_WORK_ITEMS;
         d++) {
        const struct gcal_poly *id = gcal_poly_add(
            c, gcal_poly_scale(c, nest->gid[d], nest->local_size[d], 1), nest->lid[d]);

        if (!gcal_poly_equal(index, id))
            continue;
        *dim = 2 * d;
        *lid = 2 * d + 1;
        *size = gcal_poly_scale(c, nest->groups[d], nest->local_size[d], 1);
        return domain->is_lid[*lid] && domain->n_dims > *lid;
    }
    return false;
}

/* x for a nonnegative condition on cols*x + y, where y is within one row. */
static const struct gcal_poly *reduce(const struct delinearization *r,
                                      const struct gcal_poly *p)
{
    struct gcal_poly_context *c = r->c;
    const struct gcal_poly *x, *y, *one = gcal_poly_integer(c, 1), *last;

    gcal_poly_divmod(c, p, r->size, &x, &y);
    if (!gcal_poly_has_dimension(c, x))
        return p;
    last = gcal_poly_sub(c, r->size, one);
    if (gcal_poly_is_nonnegative(c, y) &&
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, y)))
        return x;
    y = gcal_poly_add(c, y, r->size);
    if (gcal_poly_is_nonnegative(c, y) &&
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, y)))
        return gcal_poly_sub(c, x, one);
    return p;
}

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct delinearization *r = data;

    if (!gcal_poly_contains(r->c, p, r->replaced))
        return p;
    return reduce(r, gcal_poly_substitute(r->c, p, r->replaced, r->value));
}

/* The number of rows: of the dimension, or up to a condition that bounds the index.  NULL
 * when the last row may be incomplete.
 */
static const struct gcal_poly *count_rows(const struct gcal_sets_domain *domain,
                                          const struct gcal_poly *index,
                                          const struct gcal_poly *size,
                                          const struct gcal_poly *columns)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *rows = gcal_poly_divide(c, size, columns), *below;

    for (size_t i = 0; i < domain->n_conditions && !rows; i++) {
        const struct gcal_sets_condition *x = domain->conditions[i];

        if (x->kind != GCAL_SETS_CONDITION_NONNEGATIVE)
            continue;
        /* below - 1 - index >= 0 */
        below = gcal_poly_add(c, gcal_poly_add(c, x->p, index), gcal_poly_integer(c, 1));
        if (!gcal_poly_has_dimension(c, below) &&
            gcal_poly_is_nonnegative(c, gcal_poly_sub(c, size, below)))
            rows = gcal_poly_divide(c, below, columns);
    }
    return rows && gcal_poly_is_integral(rows) ? rows : NULL;
}

/* Returns whether anything still depends on the local id, or a condition on the replaced one. */
static bool is_still_needed(const struct gcal_sets_domain *domain,
                            const struct delinearization *r)
{
    struct gcal_poly_context *c = r->c;

    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_condition_contains(c, domain->conditions[i], r->replaced) ||
            (r->lid != UINT_MAX &&
             gcal_sets_condition_contains(c, domain->conditions[i], r->lid)))
            return true;
    for (size_t i = 0; i < domain->n_dims; i++)
        if (r->lid != UINT_MAX && gcal_poly_contains(c, domain->trips[i], r->lid))
            return true;
    return domain->offset && r->lid != UINT_MAX &&
           gcal_poly_contains(c, domain->offset, r->lid);
}

/* Splits the dimension that is divided; false when that is not possible, and the domain
 * is then unchanged.
 */
static bool split(struct gcal_sets_domain *domain, unsigned atom)
{
    struct gcal_poly_context *c = domain->nest->c;
    struct gcal_poly_atom division = gcal_poly_get_atom(c, atom);
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *size, *n_rows, *row, *column;
    struct delinearization r = { .c = c, .lid = UINT_MAX, .size = division.b };
    struct gcal_sets_domain tried = *domain;
    size_t dim, lid;

    if (division.b->n_terms != 1 || gcal_poly_has_dimension(c, division.b) ||
        !find_index(domain, division.a, &dim, &lid, &size))
        return false;
    if (!(n_rows = count_rows(domain, division.a, size, division.b)))
        return false;
    row = gcal_poly_dimension(c, "row", gcal_poly_sub(c, n_rows, one));
    column = gcal_poly_dimension(c, "column", gcal_poly_sub(c, division.b, one));
    r.replaced = domain->dims[dim];
    r.value = gcal_poly_add(c, gcal_poly_mul(c, division.b, row), column);
    if (lid != SIZE_MAX) {
        /* group = (id - lid)/size */
        int64_t items = domain->nest->local_size[dim / 2];

        r.lid = domain->dims[lid];
        r.value = gcal_poly_scale(
            c, gcal_poly_sub(c, r.value, gcal_poly_from_atom(c, r.lid)), 1, items);
    }
    gcal_sets_domain_substitute(&tried, r.replaced, r.value);
    for (size_t i = 0; i < tried.n_conditions; i++)
        tried.conditions[i] =
            gcal_sets_condition_map(r.c, tried.conditions[i], replace, &r);
    if (tried.n_dims == GCAL_SETS_MAX_DIMS || is_still_needed(&tried, &r))
        return false;
    tried.dims[dim] = gcal_poly_atom_index(row);
    tried.trips[dim] = n_rows;
    if (lid == SIZE_MAX)
        lid = tried.n_dims++;
    tried.dims[lid] = gcal_poly_atom_index(column);
    tried.trips[lid] = division.b;
    tried.is_lid[lid] = false;
    *domain = tried;
    return true;
}

/* ---- domains: the ids, loops and conditions around a scope, simplified, and their ---- */

static void join_components(struct gcal_sets_domain *domain, size_t a, size_t b)
{
    size_t from = domain->component[a], to = domain->component[b];

    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->component[i] == from)
            domain->component[i] = to;
}

static void join_condition(struct gcal_sets_domain *domain,
                           const struct gcal_sets_condition *condition)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < domain->n_dims; i++) {
        if (!gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i]))
            continue;
        if (first != SIZE_MAX)
            join_components(domain, first, i);
        first = i;
    }
}

static bool has_condition(const struct gcal_sets_domain *domain, size_t dim)
{
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_condition_contains(domain->nest->c, domain->conditions[i],
                                         domain->dims[dim]))
            return true;
    return domain->branch && gcal_sets_condition_contains(domain->nest->c, domain->branch,
                                                          domain->dims[dim]);
}

bool gcal_sets_domain_is_independent(const struct gcal_sets_domain *domain, size_t dim)
{
    for (size_t i = 0; i < domain->n_dims; i++)
        if (i != dim && domain->component[i] == domain->component[dim])
            return false;
    return !has_condition(domain, dim) &&
           !gcal_poly_has_dimension(domain->nest->c, domain->trips[dim]);
}

void gcal_sets_domain_find_components(struct gcal_sets_domain *domain)
{
    size_t lid = SIZE_MAX;

    for (size_t i = 0; i < domain->n_dims; i++)
        domain->component[i] = i;
    for (size_t i = 0; i < domain->n_dims; i++)
        for (size_t j = 0; j < domain->n_dims; j++)
            if (i != j &&
                gcal_poly_contains(domain->nest->c, domain->trips[i], domain->dims[j]))
                join_components(domain, i, j);
    for (size_t i = 0; i < domain->n_conditions; i++)
        join_condition(domain, domain->conditions[i]);
    if (domain->branch)
        join_condition(domain, domain->branch);
    if (!domain->linear)
        return;
    /* a constraint on one local id is one on lane numbers, which depend on all of them */
    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->is_lid[i] && !gcal_sets_domain_is_independent(domain, i))
            lid = i;
    for (size_t i = 0; i < domain->n_dims && lid != SIZE_MAX; i++)
        if (domain->is_lid[i])
            join_components(domain, i, lid);
}

bool gcal_sets_condition_has_ids(const struct gcal_sets_nest *nest,
                                 const struct gcal_sets_condition *condition)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_sets_condition_contains(nest->c, condition,
                                         gcal_poly_atom_index(nest->lid[d])) ||
            gcal_sets_condition_contains(nest->c, condition,
                                         gcal_poly_atom_index(nest->gid[d])))
            return true;
    return false;
}

/* 'trips' of the work-item that does most of them; NULL when that is unknown. */
static const struct gcal_poly *most_trips(struct gcal_sets_nest *nest,
                                          const struct gcal_poly *trips, bool *estimated)
{
    struct gcal_poly_context *c = nest->c;

    for (size_t i = 0; i < 2 * nest->n_dims; i++) {
        unsigned atom = gcal_poly_atom_index(i % 2 ? nest->lid[i / 2] : nest->gid[i / 2]);

        switch (gcal_sets_direction(c, trips, atom)) {
        case GCAL_SETS_CONSTANT:
            break;
        case GCAL_SETS_FALLING:
            *estimated = true;
            trips = gcal_poly_substitute(c, trips, atom, gcal_poly_integer(c, 0));
            break;
        case GCAL_SETS_RISING:
            *estimated = true;
            trips = gcal_poly_substitute(c, trips, atom, gcal_poly_get_atom(c, atom).a);
            break;
        default:
            return NULL;
        }
    }
    return trips;
}

bool gcal_sets_domain_add(struct gcal_sets_domain *domain, unsigned atom,
                          const struct gcal_poly *trips, bool is_lid)
{
    if (domain->n_dims == GCAL_SETS_MAX_DIMS || !trips)
        return false;
    domain->dims[domain->n_dims] = atom;
    domain->is_lid[domain->n_dims] = is_lid;
    domain->trips[domain->n_dims++] = trips;
    return true;
}

bool gcal_sets_domain_add_ids(struct gcal_sets_domain *domain)
{
    const struct gcal_sets_nest *nest = domain->nest;

    for (size_t d = 0; d < nest->n_dims; d++)
        if (!gcal_sets_domain_add(domain, gcal_poly_atom_index(nest->gid[d]),
                                  nest->groups[d], false) ||
            !gcal_sets_domain_add(domain, gcal_poly_atom_index(nest->lid[d]),
                                  gcal_poly_integer(nest->c, nest->local_size[d]), true))
            return false;
    return true;
}

/* Each operand of an 'and' by itself: they may be about different dimensions. */
static bool add_condition(struct gcal_sets_domain *domain,
                          const struct gcal_sets_condition *x)
{
    struct gcal_poly_context *c = domain->nest->c;

    if (x->kind == GCAL_SETS_CONDITION_AND)
        return add_condition(domain, x->a) && add_condition(domain, x->b);
    if (x->kind == GCAL_SETS_CONDITION_NOT && x->a->kind == GCAL_SETS_CONDITION_OR)
        return add_condition(domain, gcal_sets_condition_not(c, x->a->a)) &&
               add_condition(domain, gcal_sets_condition_not(c, x->a->b));
    if (domain->mode == GCAL_SETS_COUNT_BUSIEST &&
        gcal_sets_condition_has_ids(domain->nest, x)) {
        *domain->estimated = true; /* some work-items do less */
        return true;
    }
    if (domain->n_conditions == GCAL_SETS_MAX_CONDITIONS)
        return false;
    domain->conditions[domain->n_conditions++] = x;
    return true;
}

/* The trips of those that are counted. */
static const struct gcal_poly *find_trips(struct gcal_sets_domain *domain,
                                          const struct gcal_sets_scope *scope)
{
    struct gcal_sets_nest *nest = domain->nest;

    for (size_t i = 0; i < nest->n_sampled; i++) {
        const struct gcal_sets_sampled *sampled = &nest->sampled[i];

        if (!gcal_poly_equal(scope->trips, sampled->trips[0]))
            continue;
        nest->error += sampled->error;
        *domain->estimated = *domain->estimated || sampled->error > 0;
        return sampled->trips[domain->mode == GCAL_SETS_COUNT_SUB_GROUPS ? 1
                              : domain->mode == GCAL_SETS_COUNT_GROUPS ||
                                      domain->mode == GCAL_SETS_COUNT_BUSIEST
                                  ? 2
                                  : 0];
    }
    return domain->mode == GCAL_SETS_COUNT_BUSIEST
               ? most_trips(nest, scope->trips, domain->estimated)
               : scope->trips;
}

static bool add_domain(struct gcal_sets_domain *domain,
                       const struct gcal_sets_scope *scope)
{
    switch (scope->kind) {
    case GCAL_SETS_SCOPE_LOOP:
        return gcal_sets_domain_add(domain, scope->loop, find_trips(domain, scope),
                                    false);
    case GCAL_SETS_SCOPE_CONDITION:
        return add_condition(domain, scope->condition);
    default:
        *domain->estimated = true;
        return true;
    }
}

bool gcal_sets_domain_fill(struct gcal_sets_domain *domain,
                           const struct gcal_sets_scope *scope)
{
    if (domain->mode != GCAL_SETS_COUNT_BUSIEST && !gcal_sets_domain_add_ids(domain))
        return false;
    for (; scope; scope = scope->parent)
        if (!add_domain(domain, scope))
            return false;
    /* Of sampled loops only the average is known, which is off by one iteration at most where a
     * condition or another loop depends on the iteration.
     */
    struct gcal_sets_nest *nest = domain->nest;
    for (size_t i = 0; i < domain->n_dims && nest->n_sampled; i++) {
        bool is_used = has_condition(domain, i);

        for (size_t k = 0; k < domain->n_dims; k++)
            is_used =
                is_used || gcal_poly_contains(nest->c, domain->trips[k], domain->dims[i]);
        for (size_t k = 0; k < 3 * nest->n_sampled && is_used; k++)
            if (gcal_poly_equal(domain->trips[i], nest->sampled[k / 3].trips[k % 3])) {
                nest->error += nest->sampled[k / 3].rough;
                *domain->estimated = true;
                is_used = false;
            }
    }
    gcal_sets_domain_find_blocks(domain);
    gcal_sets_domain_pick_lanes(domain);
    gcal_sets_domain_linearize(domain);
    /* Splits dimensions that are divided by a size in two, where that makes them affine. */
    unsigned atom;
    while (find_division(domain, &atom) && split(domain, atom))
        ;
    gcal_sets_domain_divide(domain);
    gcal_sets_domain_find_components(domain);
    return true;
}
