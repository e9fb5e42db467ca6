/* domain.c - how often something in a domain happens
 *
 * The domain is a set of points: the work-item's ids and the loops' variables.  What does
 * not depend on each other is counted by itself, and the numbers are multiplied; most
 * dimensions stand alone and count what they are long.  The rest are sets for points.c.
 */

#include <string.h>

#include "calib/base/buf.h"
#include "kernels/sets/chain.h"
#include "kernels/poly/private.h"

/* ---- counting ---- */

static bool is_work_item_id(const struct gcal_nest *nest, unsigned atom)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_poly_atom(nest->lid[d]) == atom || gcal_poly_atom(nest->gid[d]) == atom)
            return true;
    return false;
}

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
            bool is_id = is_work_item_id(part->chain->nest, part->chain->dims[dim]);

            if (is_id != (ids == 1))
                continue;
            sum = gcal_poly_is_nonnegative(c, trips)
                      ? gcal_poly_sum(c, sum, part->chain->dims[dim], trips)
                      : NULL;
        }
    return sum;
}

static const struct gcal_poly *count_chain(const struct gcal_chain *chain);

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
                  ? gcal_part_where_lanes_differ(part, set)
                  : isl_set_intersect(set, isl_set_empty(isl_set_get_space(set)));
    else
        set = gcal_part_without_lanes(part, set);
    return gcal_points_count(&part->frame, set);
}

/* The part as a chain of its own, whose parts are still to be found. */
static struct gcal_chain chain_of(const struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;
    struct gcal_chain own = { .nest = chain->nest,
                              .mode = chain->mode,
                              .linear = chain->linear && part->n_lids,
                              .n_dims = part->n_dims,
                              .estimated = chain->estimated };

    for (size_t i = 0; i < part->n_dims; i++) {
        own.dims[i] = chain->dims[part->dims[i]];
        own.is_lid[i] = chain->is_lid[part->dims[i]];
        own.block[i] = chain->block[part->dims[i]];
        own.trips[i] = chain->trips[part->dims[i]];
    }
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_part_has(part, chain->conditions[i]))
            own.conditions[own.n_conditions++] = chain->conditions[i];
    return own;
}

/* Gives the dimension 'fixed' a value. */
static void fix(struct gcal_chain *chain, size_t fixed, int64_t value)
{
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_poly *number = gcal_poly_integer(c, value);
    unsigned atom = chain->dims[fixed];
    size_t n = 0;

    for (size_t i = 0; i < chain->n_dims; i++) {
        if (i == fixed)
            continue;
        chain->dims[n] = chain->dims[i];
        chain->is_lid[n] = chain->is_lid[i];
        chain->block[n] = chain->block[i];
        chain->trips[n++] = gcal_poly_substitute(c, chain->trips[i], atom, number);
    }
    chain->n_dims = n;
    for (size_t i = 0; i < chain->n_conditions; i++)
        chain->conditions[i] =
            gcal_condition_substitute(c, chain->conditions[i], atom, value);
    gcal_chain_find_parts(chain);
}

/* Where the pieces are too many: the shortest loop of the part (or local id, where lanes
 * are no matter) at each of its values, which often takes the rest apart.
 */
static const struct gcal_poly *count_at_values(const struct gcal_part *part)
{
    enum { MOST_VALUES = 64 };
    const struct gcal_chain *chain = part->chain;
    struct gcal_polys *c = chain->nest->c;
    const struct gcal_poly *total = gcal_poly_integer(c, 0), *one;
    size_t shortest = SIZE_MAX;
    int64_t least = MOST_VALUES + 1, trips;

    for (size_t i = chain->mode == GCAL_COUNT_WORK_ITEMS ? 0 : part->n_lids;
         i < part->n_dims; i++)
        if (gcal_poly_is_constant(chain->trips[part->dims[i]], &trips) && trips < least) {
            least = trips;
            shortest = i;
        }
    for (int64_t value = 0; value < least && shortest != SIZE_MAX && total; value++) {
        struct gcal_chain at = chain_of(part);

        fix(&at, shortest, value);
        one = count_chain(&at);
        total = one ? gcal_poly_add(c, total, one) : NULL;
    }
    return shortest == SIZE_MAX ? NULL : total;
}

/* Whether a condition is about the first 'n_lids' dimensions. */
static bool is_about_lanes(const struct gcal_chain *chain, size_t n_lids,
                           const struct gcal_condition *condition)
{
    for (size_t i = 0; i < n_lids; i++)
        if (gcal_condition_contains(chain->nest->c, condition, chain->dims[i]))
            return true;
    return false;
}

/* As if all lanes of a group took part where any of its conditions are about lanes. */
static const struct gcal_poly *count_without_lanes(const struct gcal_part *part)
{
    struct gcal_chain whole = chain_of(part); /* lids first */
    size_t n = 0;

    *whole.estimated = true;
    for (size_t i = 0; i < whole.n_conditions; i++)
        if (!is_about_lanes(&whole, part->n_lids, whole.conditions[i]))
            whole.conditions[n++] = whole.conditions[i];
    whole.n_conditions = n;
    for (size_t i = part->n_lids; i < whole.n_dims; i++)
        for (size_t j = 0; j < part->n_lids; j++)
            if (gcal_poly_contains(whole.nest->c, whole.trips[i], whole.dims[j]))
                return NULL;
    gcal_chain_find_parts(&whole);
    return count_chain(&whole);
}

/* Parts are the same in many domains: the ids and the guard around everything. */
static const char *key_of(const struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;
    struct gcal_polys *c = chain->nest->c;
    const char *key =
        gcal_polys_format(c, "%d %p", (int)chain->mode, (const void *)chain->branch);

    for (size_t i = 0; i < part->n_dims; i++) {
        const struct gcal_poly *trips = chain->trips[part->dims[i]];
        int64_t number = 0;

        /* other trips when an outer loop has got a value, and then another polynomial */
        if (gcal_poly_is_constant(trips, &number))
            trips = NULL;
        key = gcal_polys_format(c, "%s %u:%p%+lld", key, chain->dims[part->dims[i]],
                                (const void *)trips, (long long)number);
    }
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_part_has(part, chain->conditions[i]))
            key = gcal_polys_format(c, "%s %p", key, (const void *)chain->conditions[i]);
    return key;
}

/* Of isl, for one part; groups can also be counted without looking at lanes. */
static long most_operations(const struct gcal_chain *chain)
{
    return chain->mode == GCAL_COUNT_GROUPS ? 30000 : 300000;
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
    if (gcal_nest_begin_sets(nest, most_operations(chain))) {
        struct gcal_chain own = *chain;

        own.estimated = &known.estimated;
        part.chain = &own;
        known.count = count_points(&part);
        if (!gcal_nest_end_sets(nest))
            known.count = NULL;
        if (!known.count && !own.branch && !nest->c->failed)
            known.count = count_at_values(&part);
        if (!known.count && part.n_lids && own.mode == GCAL_COUNT_GROUPS)
            known.count = count_without_lanes(&part);
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
    int64_t items;

    if (!chain->is_lid[dim])
        return gcal_poly_max(c, chain->trips[dim], gcal_poly_integer(c, 0));
    if (chain->linear || !gcal_poly_is_constant(chain->trips[dim], &items))
        return gcal_poly_integer(c, 1);
    return gcal_poly_integer(c, (items + chain->block[dim] - 1) / chain->block[dim]);
}

/* The sub-groups of a group that are cut along no dimension, when all lids stand alone.
 */
static const struct gcal_poly *whole_sub_groups(const struct gcal_chain *chain)
{
    const struct gcal_nest *nest = chain->nest;
    int64_t items = 1;

    for (size_t d = 0; d < nest->n_dims; d++)
        items *= nest->local_size[d];
    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->is_lid[i] && !gcal_chain_is_alone(chain, i))
            items = 1;
    if (!chain->linear)
        items = 1;
    return gcal_poly_integer(nest->c, nest->sub_group_size
                                          ? (items + nest->sub_group_size - 1) /
                                                nest->sub_group_size
                                          : 1);
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

/* Long factors are not multiplied out: pieces times pieces would fill pages. */
static const struct gcal_poly *keep(struct gcal_polys *c, const struct gcal_poly *p)
{
    enum { LONG = 5 };

    return p->n_terms > LONG ? gcal_poly_keep(c, p) : p;
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
        product = one ? gcal_poly_mul(c, keep(c, product), keep(c, one)) : NULL;
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

bool gcal_nest_begin_sets(struct gcal_nest *nest, long operations)
{
    enum { MOST_WASTED = 1000000, MOST_STEPS = 800000 };

    if (!gcal_nest_frame(nest) || nest->wasted_operations > MOST_WASTED)
        return false;
    if (nest->c->failed)
        return false;
    gcal_polys_begin_attempt(nest->c, MOST_STEPS);
    isl_ctx_set_max_operations(nest->isl, (unsigned long)operations);
    isl_ctx_reset_operations(nest->isl);
    return true;
}

bool gcal_nest_end_sets(struct gcal_nest *nest)
{
    bool failed = gcal_polys_end_attempt(nest->c);

    if (isl_ctx_last_error(nest->isl) == isl_error_quota)
        nest->wasted_operations += (long)isl_ctx_get_max_operations(nest->isl);
    isl_ctx_reset_error(nest->isl);
    return !failed;
}

static const struct gcal_poly *count(struct gcal_nest *nest,
                                     const struct gcal_domain *domain,
                                     enum gcal_count_mode mode,
                                     const struct gcal_condition *branch, bool *estimated)
{
    struct gcal_chain chain = {
        .nest = nest, .mode = mode, .branch = branch, .estimated = estimated
    };

    if (mode == GCAL_COUNT_SUB_GROUPS && nest->sub_group_size == 1 && !branch)
        chain.mode = GCAL_COUNT_WORK_ITEMS;
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
