/* deciding_lane.c - the lane of a sub-group that decides
 *
 * Where conditions and ranges change in one direction as a local id rises, some lane of a
 * sub-group takes part exactly if its first one does (or its last one): this id replaces
 * the local id, and sub-groups are counted as points, without projection.  A branch that
 * changes in one direction divides a sub-group whose first and last lanes differ on it.
 * Needed for domains that are not affine, which cannot be projected.
 */
#include "kernels/sets/private.h"

/* ---- directions ---- */

static enum gcal_sets_direction both(enum gcal_sets_direction a,
                                     enum gcal_sets_direction b)
{
    if (a == GCAL_SETS_CONSTANT || a == b)
        return b;
    return b == GCAL_SETS_CONSTANT ? a : GCAL_SETS_MIXED;
}

static enum gcal_sets_direction reverse(enum gcal_sets_direction a)
{
    return a == GCAL_SETS_RISING    ? GCAL_SETS_FALLING
           : a == GCAL_SETS_FALLING ? GCAL_SETS_RISING
                                    : a;
}

/* The direction of a multiple of what rises. */
static enum gcal_sets_direction by_sign(struct gcal_poly_context *c,
                                        const struct gcal_poly *factor)
{
    if (!factor->n_terms)
        return GCAL_SETS_CONSTANT;
    if (gcal_poly_is_nonnegative(c, factor))
        return GCAL_SETS_RISING;
    return gcal_poly_is_nonnegative(c, gcal_poly_scale(c, factor, -1, 1))
               ? GCAL_SETS_FALLING
               : GCAL_SETS_MIXED;
}

static enum gcal_sets_direction direction(struct gcal_poly_context *c,
                                          const struct gcal_poly *p, unsigned dim,
                                          int extrema);

/* Of a floor, quotient or step that contains 'dim'. */
static enum gcal_sets_direction of_atom(struct gcal_poly_context *c, unsigned atom,
                                        unsigned dim, int extrema)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(c, atom);

    if (a.kind == GCAL_POLY_ATOM_MIN || a.kind == GCAL_POLY_ATOM_MAX ||
        (a.b && gcal_poly_contains(c, a.b, dim)))
        return GCAL_SETS_MIXED;
    return direction(c, a.a, dim, extrema);
}

/* The direction of the terms in which other atoms contain 'dim'. */
static enum gcal_sets_direction of_atoms(struct gcal_poly_context *c,
                                         const struct gcal_poly *p, unsigned dim,
                                         int extrema)
{
    enum gcal_sets_direction all = GCAL_SETS_CONSTANT, one;

    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            const struct gcal_poly *factor;

            if (!gcal_poly_contains_nested(c, gcal_poly_from_atom(c, atom), dim))
                continue;
            factor = gcal_poly_coefficient(c, p, atom, 1);
            if (gcal_poly_degree(p, atom) > 1 || gcal_poly_contains(c, factor, dim))
                return GCAL_SETS_MIXED;
            one = by_sign(c, factor);
            if (one != GCAL_SETS_MIXED)
                one = one == GCAL_SETS_RISING ? of_atom(c, atom, dim, extrema)
                                              : reverse(of_atom(c, atom, dim, extrema));
            all = both(all, one);
        }
    return all;
}

/* The minimum or maximum in p that contains 'dim', and does so in one term alone. */
static bool find_extremum(struct gcal_poly_context *c, const struct gcal_poly *p,
                          unsigned dim, unsigned *found)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t j = 0; j < p->terms[i].n_factors; j++) {
            unsigned atom = p->terms[i].factors[j].atom;
            enum gcal_poly_atom_kind kind = gcal_poly_get_atom(c, atom).kind;

            *found = atom;
            if ((kind == GCAL_POLY_ATOM_MIN || kind == GCAL_POLY_ATOM_MAX) &&
                gcal_poly_contains_nested(c, gcal_poly_from_atom(c, atom), dim) &&
                gcal_poly_degree(p, atom) == 1 &&
                !gcal_poly_contains(c, gcal_poly_coefficient(c, p, atom, 1), dim))
                return true;
        }
    return false;
}

/* By the difference of consecutive values: floor((n + 3*x)/4) - x falls. */
static enum gcal_sets_direction by_difference(struct gcal_poly_context *c,
                                              const struct gcal_poly *p, unsigned dim)
{
    const struct gcal_poly *next =
        gcal_poly_add(c, gcal_poly_from_atom(c, dim), gcal_poly_integer(c, 1));

    return by_sign(c, gcal_poly_sub(c, gcal_poly_substitute(c, p, dim, next), p));
}

static enum gcal_sets_direction direction(struct gcal_poly_context *c,
                                          const struct gcal_poly *p, unsigned dim,
                                          int extrema)
{
    enum gcal_sets_direction found;
    const struct gcal_poly *factor;
    struct gcal_poly_atom a;
    unsigned atom;

    if (!gcal_poly_contains(c, p, dim))
        return GCAL_SETS_CONSTANT;
    /* min(a, b) + r is the minimum of a + r and b + r */
    if (extrema && find_extremum(c, p, dim, &atom)) {
        a = gcal_poly_get_atom(c, atom);
        return both(
            direction(c, gcal_poly_substitute(c, p, atom, a.a), dim, extrema - 1),
            direction(c, gcal_poly_substitute(c, p, atom, a.b), dim, extrema - 1));
    }
    if (gcal_poly_degree(p, dim) > 1)
        return GCAL_SETS_MIXED;
    factor = gcal_poly_coefficient(c, p, dim, 1);
    if (gcal_poly_contains(c, factor, dim))
        return GCAL_SETS_MIXED;
    found = both(by_sign(c, factor),
                 of_atoms(c, gcal_poly_coefficient(c, p, dim, 0), dim, extrema));
    return found == GCAL_SETS_MIXED ? by_difference(c, p, dim) : found;
}

enum gcal_sets_direction gcal_sets_direction(struct gcal_poly_context *c,
                                             const struct gcal_poly *p, unsigned dim)
{
    enum { MOST_EXTREMA = 5 };

    return direction(c, p, dim, MOST_EXTREMA);
}

static enum gcal_sets_direction find_direction(struct gcal_poly_context *c,
                                               const struct gcal_sets_condition *x,
                                               unsigned dim)
{
    switch (x->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return gcal_sets_direction(c, x->p, dim);
    case GCAL_SETS_CONDITION_NOT:
        return reverse(find_direction(c, x->a, dim));
    case GCAL_SETS_CONDITION_EARLIER:
        if (x->loop == dim)
            return GCAL_SETS_MIXED;
        return find_direction(c, x->a, dim);
    default:
        return both(find_direction(c, x->a, dim), find_direction(c, x->b, dim));
    }
}

/* ---- lanes ---- */

/* How the domain without its branch grows with a dimension. */
static enum gcal_sets_direction direction_of(const struct gcal_sets_domain *domain,
                                             unsigned dim)
{
    struct gcal_poly_context *c = domain->nest->c;
    enum gcal_sets_direction all = GCAL_SETS_CONSTANT, one;

    for (size_t i = 0; i < domain->n_dims + domain->n_conditions; i++) {
        one = i < domain->n_dims
                  ? gcal_sets_direction(c, domain->trips[i], dim)
                  : find_direction(c, domain->conditions[i - domain->n_dims], dim);
        if (one == GCAL_SETS_CONSTANT)
            continue;
        if (all != GCAL_SETS_CONSTANT && one != all)
            return GCAL_SETS_MIXED;
        all = one;
    }
    return all;
}

/* A local id whose sub-groups are to be counted. */
struct lane {
    struct gcal_poly_context *c;
    unsigned lid;
    const struct gcal_poly *group; /* the number of the sub-group */
    const struct gcal_poly *first, *last, *n_groups;
    const struct gcal_poly *value; /* the id that replaces it */
};

/* False when a sub-group has one value of the local id alone.  The last sub-group may be
 * incomplete, and has no last lane then.
 */
static bool find_lane(const struct gcal_sets_domain *domain, size_t dim,
                      struct lane *lane)
{
    struct gcal_poly_context *c = domain->nest->c;
    int64_t block = domain->block[dim], size;

    if (!domain->is_lid[dim] || block == 1 ||
        !gcal_poly_is_constant(domain->trips[dim], &size))
        return false;
    lane->c = c;
    lane->lid = domain->dims[dim];
    lane->n_groups = gcal_poly_integer(c, (size + block - 1) / block);
    lane->group = gcal_sets_joined_dimension(
        domain->nest, lane->lid, lane->lid,
        gcal_poly_sub(c, lane->n_groups, gcal_poly_integer(c, 1)));
    lane->first = gcal_poly_scale(c, lane->group, block, 1);
    lane->last = size % block
                     ? NULL
                     : gcal_poly_add(c, lane->first, gcal_poly_integer(c, block - 1));
    return !gcal_poly_context_has_failed(c);
}

static const struct gcal_poly *replace(const struct gcal_poly *p, void *data)
{
    const struct lane *lane = data;

    return gcal_poly_substitute(lane->c, p, lane->lid, lane->value);
}

static void replace_all(struct gcal_sets_domain *domain, size_t dim, struct lane *lane)
{
    for (size_t i = 0; i < domain->n_dims; i++)
        domain->trips[i] = replace(domain->trips[i], lane);
    for (size_t i = 0; i < domain->n_conditions; i++)
        domain->conditions[i] =
            gcal_sets_condition_map(lane->c, domain->conditions[i], replace, lane);
    domain->dims[dim] = gcal_poly_atom_index(lane->group);
    domain->trips[dim] = lane->n_groups;
    domain->is_lid[dim] = false;
    domain->block[dim] = 1;
}

/* The branch holds for the lane where it holds first, and not for the one where it holds
 * last: conditions that replace it.  False when lanes do not decide it.
 */
static bool pick_for_branch(struct gcal_sets_domain *domain)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_sets_condition *yes = domain->branch, *no = domain->branch;
    struct gcal_sets_domain tried = *domain;
    bool any = false;

    for (size_t i = 0; i < domain->n_dims; i++) {
        struct lane lane;
        enum gcal_sets_direction direction;

        if (!domain->is_lid[i] ||
            !gcal_sets_condition_contains(c, domain->branch, domain->dims[i]))
            continue;
        if (domain->block[i] == 1)
            continue;
        direction = find_direction(c, domain->branch, domain->dims[i]);
        if (direction == GCAL_SETS_MIXED || !find_lane(domain, i, &lane) || !lane.last ||
            direction_of(domain, lane.lid) != GCAL_SETS_CONSTANT)
            return false;
        lane.value = direction == GCAL_SETS_RISING ? lane.last : lane.first;
        yes = gcal_sets_condition_map(c, yes, replace, &lane);
        lane.value = direction == GCAL_SETS_RISING ? lane.first : lane.last;
        no = gcal_sets_condition_map(c, no, replace, &lane);
        replace_all(&tried, i, &lane);
        any = true;
    }
    if (!any || tried.n_conditions + 2 > GCAL_SETS_MAX_CONDITIONS)
        return false;
    tried.conditions[tried.n_conditions++] = yes;
    tried.conditions[tried.n_conditions++] = gcal_sets_condition_not(c, no);
    tried.branch = NULL;
    *domain = tried;
    return true;
}

void gcal_sets_domain_pick_lanes(struct gcal_sets_domain *domain)
{
    if ((domain->mode != GCAL_SETS_COUNT_SUB_GROUPS &&
         domain->mode != GCAL_SETS_COUNT_GROUPS) ||
        domain->linear || domain->keeps_lanes || !gcal_sets_domain_has_products(domain))
        return;
    if (!domain->branch || pick_for_branch(domain)) {
        for (size_t i = 0; i < domain->n_dims; i++) {
            struct lane lane;
            enum gcal_sets_direction direction;

            if (!find_lane(domain, i, &lane))
                continue;
            direction = direction_of(domain, lane.lid);
            if (direction == GCAL_SETS_CONSTANT || direction == GCAL_SETS_MIXED)
                continue;
            lane.value = direction == GCAL_SETS_RISING ? lane.last : lane.first;
            if (!lane.value)
                continue;
            replace_all(domain, i, &lane);
            /* without a size of sub-groups, some of a group's may be idle */
            if (domain->mode == GCAL_SETS_COUNT_GROUPS)
                *domain->estimated = true;
        }
    }
}
