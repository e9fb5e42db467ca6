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
#include "kernels/points.h"
#include "kernels/poly_private.h"

enum { MOST_DIMS = GCAL_MAX_NEST - 1, MOST_CONDITIONS = 64 };

struct chain {
    struct gcal_nest *nest;
    enum gcal_count_mode mode;
    const struct gcal_condition *branch; /* lanes must differ on it; NULL: no matter */
    bool *estimated;
    size_t n_dims, n_conditions;
    unsigned dims[MOST_DIMS]; /* work-item ids first, then loops from the inside out */
    bool is_lid[MOST_DIMS];
    const struct gcal_poly *trips[MOST_DIMS];
    size_t part[MOST_DIMS]; /* dims of one part are counted together */
    const struct gcal_condition *conditions[MOST_CONDITIONS];
};

/* ---- what depends on what ---- */

static bool condition_contains(struct gcal_polys *c, const struct gcal_condition *x,
                               unsigned atom)
{
    return (x->p && gcal_poly_contains(c, x->p, atom)) ||
           (x->a && condition_contains(c, x->a, atom)) ||
           (x->b && condition_contains(c, x->b, atom)) ||
           (x->kind == GCAL_CONDITION_EARLIER && x->loop == atom);
}

static void join_parts(struct chain *chain, size_t a, size_t b)
{
    size_t from = chain->part[a], to = chain->part[b];

    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->part[i] == from)
            chain->part[i] = to;
}

static void join_condition(struct chain *chain, const struct gcal_condition *condition)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < chain->n_dims; i++) {
        if (!condition_contains(chain->nest->c, condition, chain->dims[i]))
            continue;
        if (first != SIZE_MAX)
            join_parts(chain, first, i);
        first = i;
    }
}

static bool has_condition(const struct chain *chain, size_t dim)
{
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (condition_contains(chain->nest->c, chain->conditions[i], chain->dims[dim]))
            return true;
    return chain->branch &&
           condition_contains(chain->nest->c, chain->branch, chain->dims[dim]);
}

static bool stands_alone(const struct chain *chain, size_t dim)
{
    for (size_t i = 0; i < chain->n_dims; i++)
        if (i != dim && chain->part[i] == chain->part[dim])
            return false;
    return !has_condition(chain, dim) &&
           !gcal_poly_has_dimension(chain->nest->c, chain->trips[dim]);
}

static void find_parts(struct chain *chain)
{
    size_t lid = SIZE_MAX;

    for (size_t i = 0; i < chain->n_dims; i++)
        chain->part[i] = i;
    for (size_t i = 0; i < chain->n_dims; i++)
        for (size_t j = 0; j < chain->n_dims; j++)
            if (i != j &&
                gcal_poly_contains(chain->nest->c, chain->trips[i], chain->dims[j]))
                join_parts(chain, i, j);
    for (size_t i = 0; i < chain->n_conditions; i++)
        join_condition(chain, chain->conditions[i]);
    if (chain->branch)
        join_condition(chain, chain->branch);
    if (chain->mode != GCAL_COUNT_SUB_GROUPS)
        return;
    /* where one lid decides, the lanes' numbers do, which all lids make */
    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->is_lid[i] && !stands_alone(chain, i))
            lid = i;
    for (size_t i = 0; i < chain->n_dims && lid != SIZE_MAX; i++)
        if (chain->is_lid[i])
            join_parts(chain, i, lid);
}

/* ---- the chain ---- */

static bool has_ids(const struct gcal_nest *nest, const struct gcal_condition *condition)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (condition_contains(nest->c, condition, gcal_poly_atom(nest->lid[d])) ||
            condition_contains(nest->c, condition, gcal_poly_atom(nest->gid[d])))
            return true;
    return false;
}

/* 'trips' of the work-item that does most of them; NULL when that is not clear. */
static const struct gcal_poly *most_trips(struct gcal_nest *nest,
                                          const struct gcal_poly *trips, bool *estimated)
{
    struct gcal_polys *c = nest->c;

    for (size_t i = 0; i < 2 * nest->n_dims; i++) {
        unsigned atom = gcal_poly_atom(i % 2 ? nest->lid[i / 2] : nest->gid[i / 2]);
        const struct gcal_poly *first, *last;

        if (!gcal_poly_contains(c, trips, atom))
            continue;
        *estimated = true;
        first = gcal_poly_substitute(c, trips, atom, gcal_poly_integer(c, 0));
        last = gcal_poly_substitute(c, trips, atom, gcal_atom_last(c, atom));
        if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, first, trips)))
            trips = first;
        else if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, trips)))
            trips = last;
        else
            return NULL;
    }
    return trips;
}

static bool add_dim(struct chain *chain, unsigned atom, const struct gcal_poly *trips,
                    bool is_lid)
{
    if (chain->n_dims == MOST_DIMS || !trips)
        return false;
    chain->dims[chain->n_dims] = atom;
    chain->is_lid[chain->n_dims] = is_lid;
    chain->trips[chain->n_dims++] = trips;
    return true;
}

static bool add_domain(struct chain *chain, const struct gcal_domain *domain)
{
    bool one = chain->mode == GCAL_COUNT_ONE;

    switch (domain->kind) {
    case GCAL_DOMAIN_LOOP:
        return add_dim(chain, domain->loop,
                       one ? most_trips(chain->nest, domain->trips, chain->estimated)
                           : domain->trips,
                       false);
    case GCAL_DOMAIN_CONDITION:
        if (one && has_ids(chain->nest, domain->condition)) {
            *chain->estimated = true; /* some do less than that */
            return true;
        }
        if (chain->n_conditions == MOST_CONDITIONS)
            return false;
        chain->conditions[chain->n_conditions++] = domain->condition;
        return true;
    default:
        *chain->estimated = true;
        return true;
    }
}

static bool fill_chain(struct chain *chain, const struct gcal_domain *domain)
{
    const struct gcal_nest *nest = chain->nest;

    for (size_t d = 0; d < nest->n_dims && chain->mode != GCAL_COUNT_ONE; d++)
        if (!add_dim(chain, gcal_poly_atom(nest->gid[d]), nest->groups[d], false) ||
            !add_dim(chain, gcal_poly_atom(nest->lid[d]),
                     gcal_poly_integer(nest->c, nest->local_size[d]), true))
            return false;
    for (; domain; domain = domain->parent)
        if (!add_domain(chain, domain))
            return false;
    find_parts(chain);
    return true;
}

/* ---- one part as a set ---- */

struct part {
    const struct chain *chain;
    struct gcal_frame frame;
    size_t n_dims, n_lids;
    size_t dims[MOST_DIMS]; /* indices into the chain's, lids first */
};

static void fill_part(struct part *part, const struct chain *chain, size_t number)
{
    struct gcal_polys *c = chain->nest->c;
    unsigned atoms[MOST_DIMS];

    part->chain = chain;
    part->n_dims = part->n_lids = 0;
    for (int lids = 1; lids >= 0; lids--)
        for (size_t i = 0; i < chain->n_dims; i++)
            if (chain->part[i] == number && chain->is_lid[i] == lids) {
                atoms[part->n_dims] = chain->dims[i];
                part->dims[part->n_dims++] = i;
                part->n_lids += (size_t)lids;
            }
    gcal_frame_init(&part->frame, c, chain->nest->isl, part->n_dims, atoms);
    for (size_t i = 0; i < part->n_dims; i++)
        gcal_frame_learn(&part->frame, chain->trips[part->dims[i]]);
}

/* Whether the part's dimensions are those that the condition depends on; conditions
 * without any belong to the part without any.
 */
static bool belongs(const struct part *part, const struct gcal_condition *condition)
{
    const struct chain *chain = part->chain;
    bool free = true;

    for (size_t i = 0; i < chain->n_dims; i++)
        if (condition_contains(chain->nest->c, condition, chain->dims[i])) {
            free = false;
            for (size_t j = 0; j < part->n_dims; j++)
                if (part->dims[j] == i)
                    return true;
        }
    return free && part->n_dims == 0;
}

/* The part's points; conditions that are not affine are left out. */
static isl_set *points_of(struct part *part)
{
    const struct chain *chain = part->chain;
    isl_set *set, *held;

    for (size_t i = 0; i < chain->n_conditions; i++)
        if (belongs(part, chain->conditions[i]))
            gcal_frame_learn_condition(&part->frame, chain->conditions[i]);
    if (chain->branch && belongs(part, chain->branch))
        gcal_frame_learn_condition(&part->frame, chain->branch);
    if (part->frame.failed)
        return NULL;
    set = gcal_frame_universe(&part->frame);
    for (size_t i = 0; i < part->n_dims; i++)
        set = isl_set_intersect(
            set, gcal_frame_range(&part->frame, i, chain->trips[part->dims[i]]));
    for (size_t i = 0; i < chain->n_conditions; i++) {
        if (!belongs(part, chain->conditions[i]))
            continue;
        if ((held = gcal_frame_condition(&part->frame, chain->conditions[i])))
            set = isl_set_intersect(set, held);
        else
            *chain->estimated = true;
    }
    return set;
}

/* ---- lanes ---- */

/* Instead of lids, which are the first dimensions, the number of the sub-group, in the
 * first: lanes are numbered by the linear local id.
 */
static isl_set *to_sub_groups(const struct part *part, isl_set *set)
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
static isl_set *to_groups(struct part *part, isl_set *set)
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

static isl_set *without_lanes(struct part *part, isl_set *set)
{
    if (!part->n_lids || part->chain->mode == GCAL_COUNT_WORK_ITEMS)
        return set;
    return part->chain->mode == GCAL_COUNT_SUB_GROUPS ? to_sub_groups(part, set)
                                                      : to_groups(part, set);
}

/* Where some lanes go one way and some the other. */
static isl_set *where_lanes_differ(struct part *part, isl_set *set)
{
    isl_set *held = gcal_frame_condition(&part->frame, part->chain->branch);
    isl_set *yes = isl_set_intersect(isl_set_copy(set), isl_set_copy(held));
    isl_set *no = isl_set_subtract(set, held);

    return isl_set_intersect(without_lanes(part, yes), without_lanes(part, no));
}

/* ---- counting ---- */

/* Loops that depend on outer ones in a way that is not affine, from the inside out. */
static const struct gcal_poly *sum_loops(const struct part *part)
{
    struct gcal_polys *c = part->chain->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);

    if (part->n_lids && part->chain->mode != GCAL_COUNT_WORK_ITEMS)
        return NULL;
    /* the last in the chain's order are outermost, and ids come before all of them */
    for (size_t i = 0; i < part->n_dims; i++)
        if (has_condition(part->chain, part->dims[i]))
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

static const struct gcal_poly *count_part(const struct chain *chain, size_t number)
{
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_poly *count;
    struct part part;
    isl_set *set;

    fill_part(&part, chain, number);
    set = points_of(&part);
    if (!set)
        return sum_loops(&part);
    if (chain->branch && belongs(&part, chain->branch))
        set = part.n_lids ? where_lanes_differ(&part, set)
                          : isl_set_intersect(set, isl_set_empty(isl_set_get_space(set)));
    else
        set = without_lanes(&part, set);
    count = gcal_points_count(&part.frame, set);
    return c->failed ? NULL : count;
}

/* What a dimension that nothing else depends on multiplies the number with. */
static const struct gcal_poly *count_alone(const struct chain *chain, size_t dim)
{
    struct gcal_polys *c = chain->nest->c;

    if (chain->is_lid[dim] && chain->mode != GCAL_COUNT_WORK_ITEMS)
        return gcal_poly_integer(c, 1);
    return gcal_poly_max(c, chain->trips[dim], gcal_poly_integer(c, 0));
}

/* The sub-groups of a group, when all lids stand alone. */
static const struct gcal_poly *whole_sub_groups(const struct chain *chain)
{
    const struct gcal_nest *nest = chain->nest;
    int64_t items = 1;

    if (chain->mode != GCAL_COUNT_SUB_GROUPS)
        return gcal_poly_integer(nest->c, 1);
    for (size_t d = 0; d < nest->n_dims; d++)
        items *= nest->local_size[d];
    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->is_lid[i] && !stands_alone(chain, i))
            return gcal_poly_integer(nest->c, 1);
    return gcal_poly_integer(nest->c,
                             (items + nest->sub_group_size - 1) / nest->sub_group_size);
}

/* 1 where the conditions on sizes alone hold, else 0. */
static const struct gcal_poly *count_sizes(const struct chain *chain)
{
    struct part none = { .chain = chain };

    for (size_t i = 0; i < chain->n_conditions; i++)
        if (belongs(&none, chain->conditions[i]))
            return count_part(chain, SIZE_MAX);
    if (chain->branch && belongs(&none, chain->branch))
        return gcal_poly_integer(chain->nest->c, 0);
    return gcal_poly_integer(chain->nest->c, 1);
}

static const struct gcal_poly *count_chain(const struct chain *chain)
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
        one = stands_alone(chain, i) ? count_alone(chain, i)
                                     : count_part(chain, chain->part[i]);
        product = one ? gcal_poly_mul(c, product, one) : NULL;
    }
    return product;
}

static const struct gcal_poly *count(struct gcal_nest *nest,
                                     const struct gcal_domain *domain,
                                     enum gcal_count_mode mode,
                                     const struct gcal_condition *branch, bool *estimated)
{
    struct chain chain = {
        .nest = nest, .mode = mode, .branch = branch, .estimated = estimated
    };

    if (!nest->isl && !(nest->isl = gcal_isl_create())) {
        gcal_polys_fail(nest->c, "out of memory");
        return NULL;
    }
    return fill_chain(&chain, domain) ? count_chain(&chain) : NULL;
}

const struct gcal_poly *gcal_domain_count(struct gcal_nest *nest,
                                          const struct gcal_domain *domain,
                                          enum gcal_count_mode mode, bool *estimated)
{
    struct gcal_known_count *moved, known = { .domain = domain, .mode = mode };

    for (size_t i = 0; i < nest->n_counts; i++)
        if (nest->counts[i].domain == domain && nest->counts[i].mode == mode) {
            *estimated = *estimated || nest->counts[i].estimated;
            return nest->counts[i].count;
        }
    known.count = count(nest, domain, mode, NULL, &known.estimated);
    *estimated = *estimated || known.estimated;
    moved = gcal_array_grow(nest->counts, nest->n_counts, &nest->count_capacity,
                            sizeof(*moved), NULL);
    if (moved) { /* without memory it is counted again */
        nest->counts = moved;
        moved[nest->n_counts++] = known;
    }
    return known.count;
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
