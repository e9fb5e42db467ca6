/* domain.c - how often something in a domain happens
 *
 * The domain is a set of points: the work-item's ids and the loops' variables.  What does
 * not depend on each other is counted by itself, and the numbers are multiplied; most
 * dimensions stand alone and count what they are long.  The rest are sets for points.c.
 */
#include <isl/constraint.h>
#include <isl/val.h>

#include <string.h>

#include "calib/base/buf.h"
#include "kernels/chain.h"
#include "kernels/poly_private.h"

/* ---- lanes ---- */

/* Instead of lids, which are the first dimensions, the number of the sub-group, in the
 * first: lanes are numbered by the linear local id.
 */
static isl_set *to_sub_groups(const struct gcal_part *part, isl_set *set)
{
    const struct gcal_nest *nest = part->chain->nest;
    isl_ctx *isl = nest->isl;
    int64_t stride = 1, size = nest->sub_group_size;

    set = isl_set_insert_dims(set, isl_dim_set, 0, 1);
    for (int side = 0; side < 2; side++) { /* 0 <= linear - size*number < size */
        int64_t sign = side ? -1 : 1;
        isl_constraint *c = isl_constraint_alloc_inequality(
            isl_local_space_from_space(isl_set_get_space(set)));

        c = isl_constraint_set_coefficient_val(
            c, isl_dim_set, 0, isl_val_int_from_si(isl, (long)(-sign * size)));
        stride = 1;
        for (size_t d = 0; d < part->n_lids; d++) {
            c = isl_constraint_set_coefficient_val(
                c, isl_dim_set, (int)(1 + d),
                isl_val_int_from_si(isl, (long)(sign * stride)));
            stride *= nest->local_size[d];
        }
        c = isl_constraint_set_constant_val(
            c, isl_val_int_from_si(isl, (long)(side ? size - 1 : 0)));
        set = isl_set_add_constraint(set, c);
    }
    return isl_set_project_out(set, isl_dim_set, 1, (unsigned)part->n_lids);
}

/* Where any lane takes part.  Not all lanes do when the set is not what all of them
 * would make it.
 */
static isl_set *to_groups(struct gcal_part *part, isl_set *set)
{
    isl_set *groups =
        isl_set_project_out(isl_set_copy(set), isl_dim_set, 0, (unsigned)part->n_lids);
    isl_set *all =
        isl_set_insert_dims(isl_set_copy(groups), isl_dim_set, 0, (unsigned)part->n_lids);

    for (size_t i = 0; i < part->n_lids; i++)
        all = isl_set_intersect(
            all, gcal_frame_range(&part->frame, i, part->chain->trips[part->dims[i]]));
    if (isl_set_is_subset(all, set) != isl_bool_true)
        *part->chain->estimated = true;
    isl_set_free(all);
    isl_set_free(set);
    return groups;
}

static isl_set *without_lanes(struct gcal_part *part, isl_set *set)
{
    if (!part->n_lids || part->chain->mode == GCAL_COUNT_WORK_ITEMS)
        return set;
    return part->chain->mode == GCAL_COUNT_SUB_GROUPS ? to_sub_groups(part, set)
                                                      : to_groups(part, set);
}

/* Where some lanes go one way and some the other. */
static isl_set *where_lanes_differ(struct gcal_part *part, isl_set *set)
{
    isl_set *held = gcal_frame_condition(&part->frame, part->chain->branch);
    isl_set *yes = isl_set_intersect(isl_set_copy(set), isl_set_copy(held));
    isl_set *no = isl_set_subtract(set, held);

    return isl_set_intersect(without_lanes(part, yes), without_lanes(part, no));
}

/* ---- counting ---- */

/* Loops that depend on outer ones in a way that is not affine, from the inside out. */
static const struct gcal_poly *sum_loops(const struct gcal_part *part)
{
    struct gcal_polys *c = part->chain->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);

    if (part->n_lids && part->chain->mode != GCAL_COUNT_WORK_ITEMS)
        return NULL;
    /* the last in the chain's order are outermost, and ids come before all of them */
    for (size_t i = 0; i < part->n_dims; i++)
        if (gcal_chain_has_condition(part->chain, part->dims[i]))
            return NULL;
    for (size_t ids = 0; ids < 2; ids++)
        for (size_t i = 0; i < part->n_dims && sum; i++) {
            size_t dim = part->dims[i];
            const struct gcal_poly *trips = part->chain->trips[dim];
            bool is_id = dim < 2 * part->chain->nest->n_dims &&
                         part->chain->mode != GCAL_COUNT_ONE;

            if (is_id != (ids == 1))
                continue;
            sum = gcal_poly_is_nonnegative(c, trips)
                      ? gcal_poly_sum(c, sum, part->chain->dims[dim], trips)
                      : NULL;
        }
    return sum;
}

static const struct gcal_poly *count_points(struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;
    isl_set *set;

    gcal_part_learn(part);
    set = gcal_part_points(part);
    if (!set)
        return sum_loops(part);
    if (chain->branch && gcal_part_has(part, chain->branch))
        set = part->n_lids
                  ? where_lanes_differ(part, set)
                  : isl_set_intersect(set, isl_set_empty(isl_set_get_space(set)));
    else
        set = without_lanes(part, set);
    return gcal_points_count(&part->frame, set);
}

/* Parts are the same in many domains: the ids and the guard around everything. */
static const char *key_of(const struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;
    struct gcal_polys *c = chain->nest->c;
    const char *key =
        gcal_polys_format(c, "%d %p", (int)chain->mode, (const void *)chain->branch);

    for (size_t i = 0; i < part->n_dims; i++)
        key = gcal_polys_format(c, "%s %u", key, chain->dims[part->dims[i]]);
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_part_has(part, chain->conditions[i]))
            key = gcal_polys_format(c, "%s %p", key, (const void *)chain->conditions[i]);
    return key;
}

static const struct gcal_poly *count_part(const struct gcal_chain *chain, size_t number)
{
    struct gcal_nest *nest = chain->nest;
    struct gcal_known_count known = { 0 }, *moved;
    bool wanted[GCAL_MAX_CHAIN];
    struct gcal_part part;

    for (size_t i = 0; i < chain->n_dims; i++)
        wanted[i] = chain->part[i] == number;
    gcal_part_fill(&part, chain, wanted);
    known.key = key_of(&part);
    for (size_t i = 0; i < nest->n_counts; i++)
        if (strcmp(nest->counts[i].key, known.key) == 0) {
            *chain->estimated = *chain->estimated || nest->counts[i].estimated;
            return nest->counts[i].count;
        }
    if (gcal_nest_begin_sets(nest)) {
        struct gcal_chain own = *chain;

        own.estimated = &known.estimated;
        part.chain = &own;
        known.count = count_points(&part);
        gcal_nest_end_sets(nest);
    }
    *chain->estimated = *chain->estimated || known.estimated;
    moved = gcal_array_grow(nest->counts, nest->n_counts, &nest->count_capacity,
                            sizeof(*moved), NULL);
    if (moved) { /* without memory it is counted again */
        nest->counts = moved;
        moved[nest->n_counts++] = known;
    }
    return nest->c->failed ? NULL : known.count;
}

/* What a dimension that nothing else depends on multiplies the number with. */
static const struct gcal_poly *count_alone(const struct gcal_chain *chain, size_t dim)
{
    struct gcal_polys *c = chain->nest->c;

    if (chain->is_lid[dim] && chain->mode != GCAL_COUNT_WORK_ITEMS)
        return gcal_poly_integer(c, 1);
    return gcal_poly_max(c, chain->trips[dim], gcal_poly_integer(c, 0));
}

/* The sub-groups of a group, when all lids stand alone. */
static const struct gcal_poly *whole_sub_groups(const struct gcal_chain *chain)
{
    const struct gcal_nest *nest = chain->nest;
    int64_t items = 1;

    if (chain->mode != GCAL_COUNT_SUB_GROUPS)
        return gcal_poly_integer(nest->c, 1);
    for (size_t d = 0; d < nest->n_dims; d++)
        items *= nest->local_size[d];
    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->is_lid[i] && !gcal_chain_is_alone(chain, i))
            return gcal_poly_integer(nest->c, 1);
    return gcal_poly_integer(nest->c,
                             (items + nest->sub_group_size - 1) / nest->sub_group_size);
}

/* 1 where the conditions on sizes alone hold, else 0. */
static const struct gcal_poly *count_sizes(const struct gcal_chain *chain)
{
    struct gcal_part none = { .chain = chain };

    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_part_has(&none, chain->conditions[i]))
            return count_part(chain, SIZE_MAX);
    if (chain->branch && gcal_part_has(&none, chain->branch))
        return gcal_poly_integer(chain->nest->c, 0);
    return gcal_poly_integer(chain->nest->c, 1);
}

static const struct gcal_poly *count_chain(const struct gcal_chain *chain)
{
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_poly *product = count_sizes(chain), *one;

    if (product)
        product = gcal_poly_mul(c, product, whole_sub_groups(chain));
    for (size_t i = 0; i < chain->n_dims && product; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first = first && chain->part[j] != chain->part[i];
        if (!first)
            continue;
        one = gcal_chain_is_alone(chain, i) ? count_alone(chain, i)
                                            : count_part(chain, chain->part[i]);
        product = one ? gcal_poly_mul(c, product, one) : NULL;
    }
    return product;
}

const struct gcal_frame *gcal_nest_frame(struct gcal_nest *nest)
{
    if (nest->frame)
        return nest->frame;
    nest->isl = gcal_isl_create();
    nest->frame = gcal_polys_alloc(nest->c, sizeof(*nest->frame));
    if (!nest->isl || !nest->frame) {
        gcal_polys_fail(nest->c, "out of memory");
        return NULL;
    }
    gcal_frame_init(nest->frame, nest->c, nest->isl);
    return nest->frame;
}

bool gcal_nest_begin_sets(struct gcal_nest *nest)
{
    enum { MOST_OVERRUNS = 4 };

    if (!gcal_nest_frame(nest) || nest->n_overruns == MOST_OVERRUNS)
        return false;
    isl_ctx_reset_operations(nest->isl);
    return true;
}

void gcal_nest_end_sets(struct gcal_nest *nest)
{
    if (isl_ctx_last_error(nest->isl) == isl_error_quota)
        nest->n_overruns++;
    isl_ctx_reset_error(nest->isl);
}

static const struct gcal_poly *count(struct gcal_nest *nest,
                                     const struct gcal_domain *domain,
                                     enum gcal_count_mode mode,
                                     const struct gcal_condition *branch, bool *estimated)
{
    struct gcal_chain chain = {
        .nest = nest, .mode = mode, .branch = branch, .estimated = estimated
    };

    return gcal_nest_frame(nest) && gcal_chain_fill(&chain, domain) ? count_chain(&chain)
                                                                    : NULL;
}

const struct gcal_poly *gcal_domain_count(struct gcal_nest *nest,
                                          const struct gcal_domain *domain,
                                          enum gcal_count_mode mode, bool *estimated)
{
    return count(nest, domain, mode, NULL, estimated);
}

const struct gcal_poly *gcal_branch_divergence(struct gcal_nest *nest,
                                               const struct gcal_branch_event *branch)
{
    bool estimated = false;
    const struct gcal_poly *found;

    if (!branch->condition)
        return NULL;
    found =
        count(nest, branch->domain, GCAL_COUNT_SUB_GROUPS, branch->condition, &estimated);
    return estimated ? NULL : found;
}
