/* lane.c - the lane of a sub-group that decides
 *
 * Where conditions and ranges change in one direction as a local id rises, some lane of a
 * sub-group takes part exactly if its first one does (or its last one): this id replaces
 * the local id, and sub-groups are counted as points, without projection.  A branch that
 * changes in one direction divides a sub-group whose first and last lanes differ on it.
 * Needed for domains that are not affine, which cannot be projected.
 */
#include "kernels/sets/private.h"

/* How the domain without its branch grows with a dimension. */
static enum gcal_sets_direction direction_of(const struct gcal_sets_domain *domain,
                                             unsigned dim)
{
    struct gcal_poly_context *c = domain->nest->c;
    enum gcal_sets_direction all = GCAL_SETS_CONSTANT, one;

    for (size_t i = 0; i < domain->n_dims + domain->n_conditions; i++) {
        one = i < domain->n_dims ? gcal_sets_direction(c, domain->trips[i], dim)
                                 : gcal_sets_condition_direction(
                                       c, domain->conditions[i - domain->n_dims], dim);
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

static void pick(struct gcal_sets_domain *domain)
{
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
        direction = gcal_sets_condition_direction(c, domain->branch, domain->dims[i]);
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
        domain->linear || !gcal_sets_domain_has_products(domain))
        return;
    if (!domain->branch || pick_for_branch(domain))
        pick(domain);
}
