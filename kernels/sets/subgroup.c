/* subgroup.c - projection of work-items to their groups or sub-groups
 *
 * Lanes are numbered by the linear local id.  Where a sub-group is a block of local ids
 * in each dimension (32 lanes are two rows of 16), each local id becomes the number of
 * its block; otherwise all local ids together become the number of the sub-group.
 */
#include <isl/constraint.h>
#include <isl/val.h>

#include "kernels/sets/private.h"

/* ---- blocks ---- */

void gcal_sets_domain_find_blocks(struct gcal_sets_domain *domain)
{
    int64_t left = domain->nest->sub_group_size, size;

    for (size_t i = 0; i < domain->n_dims; i++)
        domain->block[i] = 1;
    if (domain->mode == GCAL_SETS_COUNT_GROUPS) {
        for (size_t i = 0; i < domain->n_dims; i++)
            if (domain->is_lid[i])
                gcal_poly_is_constant(domain->trips[i], &domain->block[i]);
    }
    if (domain->mode != GCAL_SETS_COUNT_SUB_GROUPS)
        return;
    for (size_t i = 0; i < domain->n_dims && !domain->linear; i++) {
        if (!domain->is_lid[i] || !gcal_poly_is_constant(domain->trips[i], &size))
            continue;
        if (left % size == 0) {
            domain->block[i] = size;
            left /= size;
        } else if (size % left == 0 || i + 2 >= 2 * domain->nest->n_dims) {
            domain->block[i] = left; /* the last one may be incomplete */
            left = 1;
        } else {
            domain->linear = true;
        }
    }
}

/* ---- projection ---- */

/* Appends the dimension q with 0 <= sum of factors*lids - size*q < size. */
static isl_set *number_blocks(isl_set *set, size_t n_lids, const int64_t *factors,
                              int64_t size)
{
    isl_ctx *isl = isl_set_get_ctx(set);
    isl_size last = isl_set_dim(set, isl_dim_set);

    set = isl_set_add_dims(set, isl_dim_set, 1);
    for (int side = 0; side < 2; side++) {
        int64_t sign = side ? -1 : 1;
        isl_constraint *c = isl_constraint_alloc_inequality(
            isl_local_space_from_space(isl_set_get_space(set)));

        c = isl_constraint_set_coefficient_val(
            c, isl_dim_set, (int)last, isl_val_int_from_si(isl, (long)(-sign * size)));
        for (size_t i = 0; i < n_lids; i++)
            c = isl_constraint_set_coefficient_val(
                c, isl_dim_set, (int)i,
                isl_val_int_from_si(isl, (long)(sign * factors[i])));
        c = isl_constraint_set_constant_val(
            c, isl_val_int_from_si(isl, (long)(side ? size - 1 : 0)));
        set = isl_set_add_constraint(set, c);
    }
    return set;
}

static isl_set *to_linear(const struct gcal_sets_component *component, isl_set *set)
{
    const struct gcal_sets_nest *nest = component->domain->nest;
    int64_t factors[GCAL_MAX_DIMS] = { 1 };

    for (size_t d = 1; d < component->n_lids; d++)
        factors[d] = factors[d - 1] * nest->local_size[d - 1];
    set = number_blocks(set, component->n_lids, factors, nest->sub_group_size);
    return isl_set_project_out(set, isl_dim_set, 0, (unsigned)component->n_lids);
}

static isl_set *to_blocks(const struct gcal_sets_component *component, isl_set *set)
{
    int64_t size;

    for (size_t i = component->n_lids; i-- > 0;) {
        size_t dim = component->dims[i];
        int64_t block = component->domain->block[dim], factors[GCAL_MAX_DIMS] = { 0 };

        factors[i] = 1;
        if (block == 1)
            continue;
        if (!gcal_poly_is_constant(component->domain->trips[dim], &size) || block < size)
            set = number_blocks(set, i + 1, factors, block);
        set = isl_set_project_out(set, isl_dim_set, (unsigned)i, 1);
    }
    return set;
}

isl_set *gcal_sets_component_project_lanes(struct gcal_sets_component *component,
                                           isl_set *set)
{
    isl_set *groups;

    if (!component->n_lids || component->domain->mode == GCAL_SETS_COUNT_WORK_ITEMS)
        return set;
    if (component->domain->linear)
        return to_linear(component, set);
    groups = to_blocks(component, isl_set_copy(set));
    if (component->domain->mode == GCAL_SETS_COUNT_GROUPS) {
        /* Marks the count as estimated when some lanes of 'groups' are not in 'set'. */
        isl_set *all = isl_set_insert_dims(isl_set_copy(groups), isl_dim_set, 0,
                                           (unsigned)component->n_lids);

        for (size_t i = 0; i < component->n_lids; i++)
            all = isl_set_intersect(
                all,
                gcal_sets_context_range(&component->context, i,
                                        component->domain->trips[component->dims[i]]));
        if (isl_set_is_subset(all, set) != isl_bool_true)
            *component->domain->estimated = true;
        isl_set_free(all);
    }
    isl_set_free(set);
    return groups;
}

isl_set *gcal_sets_component_divergent_lanes(struct gcal_sets_component *component,
                                             isl_set *set)
{
    isl_set *held =
        gcal_sets_context_condition(&component->context, component->domain->branch);
    isl_set *yes = isl_set_intersect(isl_set_copy(set), isl_set_copy(held));
    isl_set *no =
        gcal_sets_component_project_lanes(component, isl_set_subtract(set, held));

    return isl_set_intersect(gcal_sets_component_project_lanes(component, yes), no);
}
