/* scope.c - how often something in a domain happens
 *
 * The domain is a set of points: the work-item's ids and the loops' variables.  What does
 * not depend on each other is counted by itself, and the numbers are multiplied; most
 * dimensions stand alone and count what they are long.  The rest are sets for
 * cardinality.c.
 */

#include <string.h>

#include "calib/base/buf.h"
#include "kernels/sets/domain.h"
#include "kernels/poly/private.h"

/* ---- counting ---- */

static bool is_work_item_id(const struct gcal_sets_nest *nest, unsigned atom)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_poly_atom_index(nest->lid[d]) == atom ||
            gcal_poly_atom_index(nest->gid[d]) == atom)
            return true;
    return false;
}

/* Loops that depend on outer ones in a way that is not affine, from the inside out. */
static const struct gcal_poly *sum_loops(const struct gcal_sets_component *part)
{
    struct gcal_poly_context *c = part->domain->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);

    if (part->n_lids && part->domain->mode != GCAL_SETS_COUNT_WORK_ITEMS)
        return NULL;
    /* the last in the chain's order are outermost, and ids come before all of them */
    for (size_t i = 0; i < part->n_dims; i++)
        if (gcal_sets_domain_has_condition(part->domain, part->dims[i]))
            return NULL;
    for (size_t ids = 0; ids < 2; ids++)
        for (size_t i = 0; i < part->n_dims && sum; i++) {
            size_t dim = part->dims[i];
            const struct gcal_poly *trips = part->domain->trips[dim];
            bool is_id = is_work_item_id(part->domain->nest, part->domain->dims[dim]);

            if (is_id != (ids == 1))
                continue;
            sum = gcal_poly_is_nonnegative(c, trips)
                      ? gcal_poly_sum(c, sum, part->domain->dims[dim], trips)
                      : NULL;
        }
    return sum;
}

static const struct gcal_poly *count_domain(const struct gcal_sets_domain *domain);

static const struct gcal_poly *count_points(struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;
    isl_set *set;

    gcal_sets_component_register(part);
    set = gcal_sets_component_set(part);
    if (!set)
        return sum_loops(part);
    if (domain->branch && gcal_sets_component_has(part, domain->branch))
        set = part->n_lids
                  ? gcal_sets_component_divergent_lanes(part, set)
                  : isl_set_intersect(set, isl_set_empty(isl_set_get_space(set)));
    else
        set = gcal_sets_component_project_lanes(part, set);
    return gcal_sets_cardinality(&part->context, set);
}

/* The part as a chain of its own, whose parts are still to be found. */
static struct gcal_sets_domain domain_of(const struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;
    struct gcal_sets_domain own = { .nest = domain->nest,
                                    .mode = domain->mode,
                                    .linear = domain->linear && part->n_lids,
                                    .n_dims = part->n_dims,
                                    .estimated = domain->estimated };

    for (size_t i = 0; i < part->n_dims; i++) {
        own.dims[i] = domain->dims[part->dims[i]];
        own.is_lid[i] = domain->is_lid[part->dims[i]];
        own.block[i] = domain->block[part->dims[i]];
        own.trips[i] = domain->trips[part->dims[i]];
    }
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(part, domain->conditions[i]))
            own.conditions[own.n_conditions++] = domain->conditions[i];
    return own;
}

/* Gives the dimension 'fixed' a value. */
static void fix(struct gcal_sets_domain *domain, size_t fixed, int64_t value)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *number = gcal_poly_integer(c, value);
    unsigned atom = domain->dims[fixed];
    size_t n = 0;

    for (size_t i = 0; i < domain->n_dims; i++) {
        if (i == fixed)
            continue;
        domain->dims[n] = domain->dims[i];
        domain->is_lid[n] = domain->is_lid[i];
        domain->block[n] = domain->block[i];
        domain->trips[n++] = gcal_poly_substitute(c, domain->trips[i], atom, number);
    }
    domain->n_dims = n;
    for (size_t i = 0; i < domain->n_conditions; i++)
        domain->conditions[i] =
            gcal_sets_condition_substitute(c, domain->conditions[i], atom, value);
    gcal_sets_domain_find_components(domain);
}

/* Where the pieces are too many: the shortest loop of the part (or local id, where lanes
 * are no matter) at each of its values, which often takes the rest apart.
 */
static const struct gcal_poly *count_at_values(const struct gcal_sets_component *part)
{
    enum { MOST_VALUES = 64 };
    const struct gcal_sets_domain *domain = part->domain;
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *total = gcal_poly_integer(c, 0), *one;
    size_t shortest = SIZE_MAX;
    int64_t least = MOST_VALUES + 1, trips;

    for (size_t i = domain->mode == GCAL_SETS_COUNT_WORK_ITEMS ? 0 : part->n_lids;
         i < part->n_dims; i++)
        if (gcal_poly_is_constant(domain->trips[part->dims[i]], &trips) &&
            trips < least) {
            least = trips;
            shortest = i;
        }
    for (int64_t value = 0; value < least && shortest != SIZE_MAX && total; value++) {
        struct gcal_sets_domain at = domain_of(part);

        fix(&at, shortest, value);
        one = count_domain(&at);
        total = one ? gcal_poly_add(c, total, one) : NULL;
    }
    return shortest == SIZE_MAX ? NULL : total;
}

/* Whether a condition is about the first 'n_lids' dimensions. */
static bool is_about_lanes(const struct gcal_sets_domain *domain, size_t n_lids,
                           const struct gcal_sets_condition *condition)
{
    for (size_t i = 0; i < n_lids; i++)
        if (gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i]))
            return true;
    return false;
}

/* As if all lanes of a group took part where any of its conditions are about lanes. */
static const struct gcal_poly *count_without_lanes(const struct gcal_sets_component *part)
{
    struct gcal_sets_domain whole = domain_of(part); /* lids first */
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
    gcal_sets_domain_find_components(&whole);
    return count_domain(&whole);
}

/* Parts are the same in many domains: the ids and the guard around everything. */
static const char *key_of(const struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;
    struct gcal_poly_context *c = domain->nest->c;
    const char *key =
        gcal_poly_format(c, "%d %p", (int)domain->mode, (const void *)domain->branch);

    for (size_t i = 0; i < part->n_dims; i++) {
        const struct gcal_poly *trips = domain->trips[part->dims[i]];
        int64_t number = 0;

        /* other trips when an outer loop has got a value, and then another polynomial */
        if (gcal_poly_is_constant(trips, &number))
            trips = NULL;
        key = gcal_poly_format(c, "%s %u:%p%+lld", key, domain->dims[part->dims[i]],
                               (const void *)trips, (long long)number);
    }
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(part, domain->conditions[i]))
            key = gcal_poly_format(c, "%s %p", key, (const void *)domain->conditions[i]);
    return key;
}

/* Of isl, for one part; groups can also be counted without looking at lanes. */
static long most_operations(const struct gcal_sets_domain *domain)
{
    return domain->mode == GCAL_SETS_COUNT_GROUPS ? 30000 : 300000;
}

static const struct gcal_poly *count_component(const struct gcal_sets_domain *domain,
                                               size_t number)
{
    struct gcal_sets_nest *nest = domain->nest;
    struct gcal_sets_cached_count known = { 0 }, *moved;
    bool wanted[GCAL_SETS_MAX_DIMS];
    struct gcal_sets_component part;

    for (size_t i = 0; i < domain->n_dims; i++)
        wanted[i] = domain->part[i] == number;
    gcal_sets_component_fill(&part, domain, wanted);
    known.key = key_of(&part);
    for (size_t i = 0; i < nest->n_counts; i++)
        if (strcmp(nest->counts[i].key, known.key) == 0) {
            *domain->estimated = *domain->estimated || nest->counts[i].estimated;
            return nest->counts[i].count;
        }
    if (gcal_sets_begin_attempt(nest, most_operations(domain))) {
        struct gcal_sets_domain own = *domain;

        own.estimated = &known.estimated;
        part.domain = &own;
        known.count = count_points(&part);
        if (!gcal_sets_end_attempt(nest))
            known.count = NULL;
        if (!known.count && !own.branch && !nest->c->failed)
            known.count = count_at_values(&part);
        if (!known.count && part.n_lids && own.mode == GCAL_SETS_COUNT_GROUPS)
            known.count = count_without_lanes(&part);
    }
    *domain->estimated = *domain->estimated || known.estimated;
    moved = gcal_array_grow(nest->counts, nest->n_counts, &nest->count_capacity,
                            sizeof(*moved), NULL);
    if (moved) { /* without memory it is counted again */
        nest->counts = moved;
        moved[nest->n_counts++] = known;
    }
    return nest->c->failed ? NULL : known.count;
}

/* What a dimension that nothing else depends on multiplies the number with. */
static const struct gcal_poly *count_alone(const struct gcal_sets_domain *domain,
                                           size_t dim)
{
    struct gcal_poly_context *c = domain->nest->c;
    int64_t items;

    if (!domain->is_lid[dim])
        return gcal_poly_max(c, domain->trips[dim], gcal_poly_integer(c, 0));
    if (domain->linear || !gcal_poly_is_constant(domain->trips[dim], &items))
        return gcal_poly_integer(c, 1);
    return gcal_poly_integer(c, (items + domain->block[dim] - 1) / domain->block[dim]);
}

/* The sub-groups of a group that are cut along no dimension, when all lids stand alone.
 */
static const struct gcal_poly *whole_sub_groups(const struct gcal_sets_domain *domain)
{
    const struct gcal_sets_nest *nest = domain->nest;
    int64_t items = 1;

    for (size_t d = 0; d < nest->n_dims; d++)
        items *= nest->local_size[d];
    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->is_lid[i] && !gcal_sets_domain_is_independent(domain, i))
            items = 1;
    if (!domain->linear)
        items = 1;
    return gcal_poly_integer(nest->c, nest->sub_group_size
                                          ? (items + nest->sub_group_size - 1) /
                                                nest->sub_group_size
                                          : 1);
}

/* 1 where the conditions on sizes alone hold, else 0. */
static const struct gcal_poly *count_sizes(const struct gcal_sets_domain *domain)
{
    struct gcal_sets_component none = { .domain = domain };

    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(&none, domain->conditions[i]))
            return count_component(domain, SIZE_MAX);
    if (domain->branch && gcal_sets_component_has(&none, domain->branch))
        return gcal_poly_integer(domain->nest->c, 0);
    return gcal_poly_integer(domain->nest->c, 1);
}

/* Long factors are not multiplied out: pieces times pieces would fill pages. */
static const struct gcal_poly *keep(struct gcal_poly_context *c,
                                    const struct gcal_poly *p)
{
    enum { LONG = 5 };

    return p->n_terms > LONG ? gcal_poly_unexpanded(c, p) : p;
}

static const struct gcal_poly *count_domain(const struct gcal_sets_domain *domain)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *product = count_sizes(domain), *one;

    if (product)
        product = gcal_poly_mul(c, product, whole_sub_groups(domain));
    for (size_t i = 0; i < domain->n_dims && product; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first = first && domain->part[j] != domain->part[i];
        if (!first)
            continue;
        one = gcal_sets_domain_is_independent(domain, i)
                  ? count_alone(domain, i)
                  : count_component(domain, domain->part[i]);
        product = one ? gcal_poly_mul(c, keep(c, product), keep(c, one)) : NULL;
    }
    return product;
}

const struct gcal_sets_context *gcal_sets_nest_context(struct gcal_sets_nest *nest)
{
    if (nest->context)
        return nest->context;
    nest->isl = gcal_sets_isl_create();
    nest->context = gcal_poly_alloc(nest->c, sizeof(*nest->context));
    if (!nest->isl || !nest->context) {
        gcal_poly_fail(nest->c, "out of memory");
        return NULL;
    }
    gcal_sets_context_init(nest->context, nest->c, nest->isl);
    return nest->context;
}

bool gcal_sets_begin_attempt(struct gcal_sets_nest *nest, long operations)
{
    enum { MOST_WASTED = 1000000, MOST_STEPS = 800000 };

    if (!gcal_sets_nest_context(nest) || nest->wasted_operations > MOST_WASTED)
        return false;
    if (nest->c->failed)
        return false;
    gcal_poly_begin_attempt(nest->c, MOST_STEPS);
    isl_ctx_set_max_operations(nest->isl, (unsigned long)operations);
    isl_ctx_reset_operations(nest->isl);
    return true;
}

bool gcal_sets_end_attempt(struct gcal_sets_nest *nest)
{
    bool failed = gcal_poly_end_attempt(nest->c);

    if (isl_ctx_last_error(nest->isl) == isl_error_quota)
        nest->wasted_operations += (long)isl_ctx_get_max_operations(nest->isl);
    isl_ctx_reset_error(nest->isl);
    return !failed;
}

static const struct gcal_poly *count(struct gcal_sets_nest *nest,
                                     const struct gcal_sets_scope *scope,
                                     enum gcal_sets_count_mode mode,
                                     const struct gcal_sets_condition *branch,
                                     bool *estimated)
{
    struct gcal_sets_domain domain = {
        .nest = nest, .mode = mode, .branch = branch, .estimated = estimated
    };

    if (mode == GCAL_SETS_COUNT_SUB_GROUPS && nest->sub_group_size == 1 && !branch)
        domain.mode = GCAL_SETS_COUNT_WORK_ITEMS;
    return gcal_sets_nest_context(nest) && gcal_sets_domain_fill(&domain, scope)
               ? count_domain(&domain)
               : NULL;
}

const struct gcal_poly *gcal_sets_scope_count(struct gcal_sets_nest *nest,
                                              const struct gcal_sets_scope *scope,
                                              enum gcal_sets_count_mode mode,
                                              bool *estimated)
{
    return count(nest, scope, mode, NULL, estimated);
}

const struct gcal_poly *
gcal_sets_branch_divergence(struct gcal_sets_nest *nest,
                            const struct gcal_sets_branch_event *branch)
{
    bool estimated = false;
    const struct gcal_poly *found;

    if (!branch->condition)
        return NULL;
    found = count(nest, branch->scope, GCAL_SETS_COUNT_SUB_GROUPS, branch->condition,
                  &estimated);
    return estimated ? NULL : found;
}
