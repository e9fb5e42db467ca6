/* scope.c - how often an event in a scope happens: the cardinality of its domain
 *
 * The count is the product over independent components.  Most are one dimension without
 * constraints, whose cardinality is its length.  The others are counted as sets.
 */
#include <math.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/checksum.h"
#include "kernels/sets/private.h"

/* ---- group and local id as one global id
 *
 * Conditions and loops nearly always depend on 16*gid + lid, not on gid and lid apart.
 * Work-items are then counted over one dimension, whose bounds give min(n, global size)
 * where two would give a piece for each way in which the last group may be incomplete.
 * So are sub-groups that are whole blocks of an axis.
 */

struct joining {
    struct gcal_poly_context *c;
    unsigned gid, lid;             /* atoms */
    const struct gcal_poly *value; /* of the local id: id - size*gid */
    bool failed;                   /* something depends on the ids apart */
};

static const struct gcal_poly *join(const struct gcal_poly *p, void *data)
{
    struct joining *j = data;

    if (gcal_poly_contains(j->c, p, j->lid))
        p = gcal_poly_substitute(j->c, p, j->lid, j->value);
    j->failed = j->failed || gcal_poly_contains(j->c, p, j->gid);
    return p;
}

static size_t find_dim(const struct gcal_sets_domain *domain, unsigned atom)
{
    size_t i = 0;

    while (i < domain->n_dims && domain->dims[i] != atom)
        i++;
    return i;
}

/* Returns whether what is counted along the axis is the same for the joined id. */
static bool may_join(const struct gcal_sets_domain *domain, size_t axis, size_t lid)
{
    int64_t block = domain->block[lid], size = domain->nest->local_size[axis];

    if (domain->mode == GCAL_SETS_COUNT_SUB_GROUPS)
        return !domain->linear && block < size && size % block == 0;
    return domain->mode == GCAL_SETS_COUNT_WORK_ITEMS && !domain->branch;
}

static bool join_axis(struct gcal_sets_domain *domain, size_t axis)
{
    const struct gcal_sets_nest *nest = domain->nest;
    struct gcal_poly_context *c = nest->c;
    struct joining j = { .c = c,
                         .gid = gcal_poly_atom_index(nest->gid[axis]),
                         .lid = gcal_poly_atom_index(nest->lid[axis]) };
    size_t gid = find_dim(domain, j.gid), lid = find_dim(domain, j.lid);
    struct gcal_sets_domain joined = *domain;
    const struct gcal_poly *size, *id;

    if (gid == domain->n_dims || lid == domain->n_dims || !may_join(domain, axis, lid))
        return false;
    size = gcal_poly_scale(c, nest->groups[axis], nest->local_size[axis], 1);
    id = gcal_poly_dimension(c, "id", gcal_poly_sub(c, size, gcal_poly_integer(c, 1)));
    j.value = gcal_poly_sub(
        c, id, gcal_poly_scale(c, nest->gid[axis], nest->local_size[axis], 1));
    /* Replaces the ids by 'value'; false if something depends on them apart. */
    for (size_t i = 0; i < joined.n_conditions && !j.failed; i++)
        joined.conditions[i] =
            gcal_sets_condition_map(j.c, joined.conditions[i], join, &j);
    if (joined.branch && !j.failed)
        joined.branch = gcal_sets_condition_map(j.c, joined.branch, join, &j);
    for (size_t i = 0; i < joined.n_dims && !j.failed; i++)
        joined.trips[i] = join(joined.trips[i], &j);
    if (!!j.failed)
        return false;
    joined.dims[lid] = gcal_poly_atom_index(id);
    joined.is_lid[lid] = domain->mode == GCAL_SETS_COUNT_SUB_GROUPS;
    joined.trips[lid] = size;
    joined.n_dims--;
    for (size_t i = gid; i < joined.n_dims; i++) {
        joined.dims[i] = joined.dims[i + 1];
        joined.is_lid[i] = joined.is_lid[i + 1];
        joined.block[i] = joined.block[i + 1];
        joined.trips[i] = joined.trips[i + 1];
    }
    *domain = joined;
    return true;
}

/* Replaces a group's and a local id by one global id on each axis where nothing depends
 * on them apart; false where there is none.  Work-items, and sub-groups that are whole
 * blocks of an axis, whose id is then a local one.  The components are to be found again.
 */
static bool join_ids(struct gcal_sets_domain *domain)
{
    bool joined = false;

    if (domain->offset)
        return false;
    for (size_t d = 0; d < domain->nest->n_dims; d++)
        joined = join_axis(domain, d) || joined;
    domain->joined = joined;
    return joined;
}

/* ---- components ---- */

static bool is_work_item_id(const struct gcal_sets_nest *nest, unsigned atom)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_poly_atom_index(nest->lid[d]) == atom ||
            gcal_poly_atom_index(nest->gid[d]) == atom)
            return true;
    return false;
}

/* Returns whether the range of another dimension that is left depends on dimension 'i'. */
static bool is_needed(const struct gcal_sets_component *component, const bool *done,
                      size_t i)
{
    const struct gcal_sets_domain *domain = component->domain;

    for (size_t j = 0; j < component->n_dims; j++)
        if (j != i && !done[j] &&
            gcal_poly_contains(domain->nest->c, domain->trips[component->dims[j]],
                               domain->dims[component->dims[i]]))
            return true;
    return false;
}

/* The next dimension to sum over, an inner one: loops first, the ids around them last.
 * SIZE_MAX when none is left.
 */
static size_t find_next(const struct gcal_sets_component *component, const bool *done)
{
    for (int ids = 0; ids < 2; ids++)
        for (size_t i = 0; i < component->n_dims; i++) {
            unsigned atom = component->domain->dims[component->dims[i]];

            if (!done[i] && is_work_item_id(component->domain->nest, atom) == ids &&
                !is_needed(component, done, i))
                return i;
        }
    return SIZE_MAX;
}

/* Dimensions of a component that is not affine, whose ranges conditions end. */
struct ranges {
    size_t n;
    unsigned dims[GCAL_SETS_MAX_DIMS], ended[GCAL_SETS_MAX_DIMS]; /* atoms */
    const struct gcal_poly *trips[GCAL_SETS_MAX_DIMS];
};

/* Ends the range of the one dimension that the condition bounds from above by sizes; false for
 * other conditions.
 */
static bool end_range(struct gcal_poly_context *c, struct ranges *r,
                      const struct gcal_sets_condition *condition)
{
    for (size_t i = 0; i < r->n && condition->kind == GCAL_SETS_CONDITION_NONNEGATIVE;
         i++) {
        const struct gcal_poly *p = condition->p, *rest, *trips, *dim;
        int64_t k;

        if (gcal_poly_degree(p, r->dims[i]) != 1 ||
            !gcal_poly_is_constant(gcal_poly_coefficient(c, p, r->dims[i], 1), &k) ||
            k >= 0)
            continue;
        rest = gcal_poly_coefficient(c, p, r->dims[i], 0);
        if (gcal_poly_has_dimension(c, rest))
            return false;
        trips = gcal_poly_add(c, gcal_poly_floor(c, rest, -k), gcal_poly_integer(c, 1));
        trips = gcal_poly_max(c, gcal_poly_min(c, r->trips[i], trips),
                              gcal_poly_integer(c, 0));
        dim = gcal_poly_dimension(c, gcal_poly_atom_name(c, r->dims[i]),
                                  gcal_poly_sub(c, trips, gcal_poly_integer(c, 1)));
        for (size_t j = 0; j < r->n; j++)
            r->trips[j] = gcal_poly_substitute(c, r->trips[j], r->ended[i], dim);
        r->trips[i] = trips;
        r->ended[i] = gcal_poly_atom_index(dim);
        return true;
    }
    return false;
}

/* Sums over the loops of a component that is not affine, from the inside out. */
static const struct gcal_poly *sum_loops(const struct gcal_sets_component *component)
{
    struct gcal_poly_context *c = component->domain->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 1);
    bool done[GCAL_SETS_MAX_DIMS] = { false };
    struct ranges ranges = { .n = component->n_dims };
    size_t i;

    for (i = 0; i < component->n_dims; i++) {
        ranges.dims[i] = ranges.ended[i] = component->domain->dims[component->dims[i]];
        ranges.trips[i] = component->domain->trips[component->dims[i]];
    }
    if (component->n_lids && component->domain->mode != GCAL_SETS_COUNT_WORK_ITEMS)
        return NULL;
    for (i = 0; i < component->domain->n_conditions; i++)
        if (gcal_sets_component_has(component, component->domain->conditions[i]) &&
            !end_range(c, &ranges, component->domain->conditions[i]))
            return NULL;
    if (component->domain->branch &&
        gcal_sets_component_has(component, component->domain->branch))
        return NULL;
    while (sum && (i = find_next(component, done)) != SIZE_MAX) {
        done[i] = true;
        sum = gcal_poly_is_nonnegative(c, ranges.trips[i])
                  ? gcal_poly_sum_near(c, sum, ranges.ended[i], ranges.trips[i],
                                       component->domain->estimated)
                  : NULL;
    }
    return sum;
}

static const struct gcal_poly *count_domain(const struct gcal_sets_domain *domain);

static const struct gcal_poly *count_points(struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;
    isl_set *set;

    gcal_sets_component_register(component);
    set = gcal_sets_component_set(component);
    if (!set)
        return sum_loops(component);
    if (domain->branch && gcal_sets_component_has(component, domain->branch))
        set = component->n_lids
                  ? gcal_sets_component_divergent_lanes(component, set)
                  : isl_set_intersect(set, isl_set_empty(isl_set_get_space(set)));
    else
        set = gcal_sets_component_project_lanes(component, set);
    return gcal_sets_cardinality(&component->context, set);
}

/* The component as a domain of its own, whose components are still to be found. */
static struct gcal_sets_domain domain_of(const struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;
    struct gcal_sets_domain own = { .nest = domain->nest,
                                    .mode = domain->mode,
                                    .linear = domain->linear && component->n_lids,
                                    .n_dims = component->n_dims,
                                    .estimated = domain->estimated };

    for (size_t i = 0; i < component->n_dims; i++) {
        own.dims[i] = domain->dims[component->dims[i]];
        own.is_lid[i] = domain->is_lid[component->dims[i]];
        own.block[i] = domain->block[component->dims[i]];
        own.trips[i] = domain->trips[component->dims[i]];
    }
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(component, domain->conditions[i]))
            own.conditions[own.n_conditions++] = domain->conditions[i];
    return own;
}

const struct gcal_poly *
gcal_sets_component_count(const struct gcal_sets_component *component)
{
    struct gcal_sets_domain own = domain_of(component);

    gcal_sets_domain_find_components(&own);
    return count_domain(&own);
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

/* For a set of too many pieces: the sum over all values of its shortest loop (or local
 * id, when work-items are counted), which often makes the rest independent.
 */
static const struct gcal_poly *
count_at_values(const struct gcal_sets_component *component)
{
    enum { MOST_VALUES = 64 };
    const struct gcal_sets_domain *domain = component->domain;
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *total = gcal_poly_integer(c, 0), *one;
    size_t shortest = SIZE_MAX;
    int64_t least = MOST_VALUES + 1, trips;

    for (size_t i = domain->mode == GCAL_SETS_COUNT_WORK_ITEMS ? 0 : component->n_lids;
         i < component->n_dims; i++)
        if (gcal_poly_is_constant(domain->trips[component->dims[i]], &trips) &&
            trips < least) {
            least = trips;
            shortest = i;
        }
    for (int64_t value = 0; value < least && shortest != SIZE_MAX && total; value++) {
        struct gcal_sets_domain at = domain_of(component);

        fix(&at, shortest, value);
        one = count_domain(&at);
        total = one ? gcal_poly_add(c, total, one) : NULL;
    }
    return shortest == SIZE_MAX ? NULL : total;
}

/* Returns whether a condition is about the first 'n_lids' dimensions, the local ids. */
static bool is_about_lanes(const struct gcal_sets_domain *domain, size_t n_lids,
                           const struct gcal_sets_condition *condition)
{
    for (size_t i = 0; i < n_lids; i++)
        if (gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i]))
            return true;
    return false;
}

/* An estimate: as if all lanes of each group took part. */
static const struct gcal_poly *
count_without_lanes(const struct gcal_sets_component *component)
{
    struct gcal_sets_domain whole = domain_of(component); /* lids first */
    size_t n = 0;

    *whole.estimated = true;
    for (size_t i = 0; i < whole.n_conditions; i++)
        if (!is_about_lanes(&whole, component->n_lids, whole.conditions[i]))
            whole.conditions[n++] = whole.conditions[i];
    whole.n_conditions = n;
    for (size_t i = component->n_lids; i < whole.n_dims; i++)
        for (size_t j = 0; j < component->n_lids; j++)
            if (gcal_poly_contains(whole.nest->c, whole.trips[i], whole.dims[j]))
                return NULL;
    gcal_sets_domain_find_components(&whole);
    return count_domain(&whole);
}

/* Over joined ids, NULL where they cannot be joined or the rest cannot be counted. */
static const struct gcal_poly *count_joined(const struct gcal_sets_component *component,
                                            bool *estimated)
{
    struct gcal_sets_domain own = domain_of(component);
    const struct gcal_poly *count;
    bool is_estimate = false;

    if (component->domain->branch &&
        gcal_sets_component_has(component, component->domain->branch))
        own.branch = component->domain->branch;
    own.estimated = &is_estimate;
    if (!join_ids(&own))
        return NULL;
    gcal_sets_domain_find_components(&own);
    if ((count = count_domain(&own)))
        *estimated = *estimated || is_estimate;
    return count;
}

static bool condition_has_size(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *x)
{
    return (x->p && gcal_poly_first_parameter(c, x->p)) ||
           (x->a && condition_has_size(c, x->a)) || (x->b && condition_has_size(c, x->b));
}

/* Returns whether the component's points depend on sizes. */
static bool has_size(const struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;
    struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < component->n_dims; i++)
        if (gcal_poly_first_parameter(c, domain->trips[component->dims[i]]))
            return true;
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(component, domain->conditions[i]) &&
            condition_has_size(c, domain->conditions[i]))
            return true;
    return domain->branch && gcal_sets_component_has(component, domain->branch) &&
           condition_has_size(c, domain->branch);
}

/* The limit of isl operations for one component; groups have count_without_lanes(), joined
 * ids are tried before others, and points without sizes are met one by one.
 */
static long most_operations(const struct gcal_sets_domain *domain, bool is_fixed)
{
    return is_fixed || domain->mode == GCAL_SETS_COUNT_GROUPS ? 30000 : 100000;
}

/* The count with the key of 'wanted', whose hash is set; NULL: it is new. */
static const struct gcal_sets_cached_count *
find_count(const struct gcal_sets_nest *nest, struct gcal_sets_cached_count *wanted)
{
    wanted->hash = gcal_checksum(GCAL_CHECKSUM_START, wanted->key, strlen(wanted->key));
    for (size_t i = 0; i < nest->n_counts; i++)
        if (nest->counts[i].hash == wanted->hash &&
            strcmp(nest->counts[i].key, wanted->key) == 0)
            return &nest->counts[i];
    return NULL;
}

/* A count that is not kept is counted again. */
static void keep_count(struct gcal_sets_nest *nest,
                       const struct gcal_sets_cached_count *count)
{
    struct gcal_sets_cached_count *moved = gcal_array_grow(
        nest->counts, nest->n_counts, &nest->count_capacity, sizeof(*moved), NULL);

    if (moved) {
        nest->counts = moved;
        moved[nest->n_counts++] = *count;
    }
}

/* The points of a component without sizes, one by one or some of them. */
static const struct gcal_poly *
count_one_by_one(const struct gcal_sets_component *component,
                 struct gcal_sets_cached_count *known)
{
    double count, error;

    if (!gcal_sets_component_sample(component, &count, &error) || !(count < 0x1p62))
        return NULL;
    known->estimated = error > 0;
    known->error = error > 0 ? error / count : 0;
    return gcal_poly_integer(component->domain->nest->c, llrint(count));
}

static const struct gcal_poly *count_component(const struct gcal_sets_domain *domain,
                                               size_t number)
{
    struct gcal_sets_nest *nest = domain->nest;
    struct gcal_sets_cached_count known = { 0 };
    const struct gcal_sets_cached_count *found;
    bool wanted[GCAL_SETS_MAX_DIMS];
    struct gcal_sets_component component;
    bool is_fixed;

    for (size_t i = 0; i < domain->n_dims; i++)
        wanted[i] = domain->component[i] == number;
    gcal_sets_component_fill(&component, domain, wanted);
    known.key = gcal_sets_component_key(&component);
    if ((found = find_count(nest, &known))) {
        *domain->estimated = *domain->estimated || found->estimated;
        nest->error += found->error;
        return found->count;
    }
    is_fixed = !has_size(&component);
    known.count = count_joined(&component, &known.estimated);
    if (!known.count &&
        gcal_sets_begin_attempt(nest, most_operations(domain, is_fixed))) {
        struct gcal_sets_domain own = *domain;

        own.estimated = &known.estimated;
        component.domain = &own;
        known.count = count_points(&component);
        if (!gcal_sets_end_attempt(nest, known.count))
            known.count = NULL;
        component.domain = domain;
        if (!known.count && is_fixed && !domain->joined)
            known.count = count_one_by_one(&component, &known);
        component.domain = &own;
        if (!known.count && !own.branch && !own.joined &&
            !gcal_poly_context_has_failed(nest->c))
            known.count = count_at_values(&component);
        if (!known.count && component.n_lids && own.mode == GCAL_SETS_COUNT_GROUPS)
            known.count = count_without_lanes(&component);
    } else if (!known.count && is_fixed && !domain->joined) {
        known.count = count_one_by_one(&component, &known);
    }
    nest->error += known.error;
    if (known.count)
        known.count = gcal_poly_tidy(nest->c, known.count);
    *domain->estimated = *domain->estimated || known.estimated;
    keep_count(nest, &known);
    return gcal_poly_context_has_failed(nest->c) ? NULL : known.count;
}

/* The cardinality of an independent dimension. */
static const struct gcal_poly *count_dimension(const struct gcal_sets_domain *domain,
                                               size_t dim)
{
    struct gcal_poly_context *c = domain->nest->c;
    int64_t block = domain->block[dim];

    if (!domain->is_lid[dim])
        return gcal_poly_max(c, domain->trips[dim], gcal_poly_integer(c, 0));
    if (domain->linear)
        return gcal_poly_integer(c, 1);
    return gcal_poly_floor(
        c, gcal_poly_add(c, domain->trips[dim], gcal_poly_integer(c, block - 1)), block);
}

/* The sub-groups per group when they are no blocks of local ids (else the dimensions
 * count them) and no constraint is about local ids.
 */
static const struct gcal_poly *linear_sub_groups(const struct gcal_sets_domain *domain)
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

static const struct gcal_poly *count_domain(const struct gcal_sets_domain *domain)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *product = count_sizes(domain), *one;

    if (product)
        product = gcal_poly_mul(c, product, linear_sub_groups(domain));
    for (size_t i = 0; i < domain->n_dims && product; i++) {
        bool first = true;

        for (size_t j = 0; j < i; j++)
            first = first && domain->component[j] != domain->component[i];
        if (!first)
            continue;
        one = gcal_sets_domain_is_independent(domain, i)
                  ? count_dimension(domain, i)
                  : count_component(domain, domain->component[i]);
        product = one ? gcal_sets_product(c, product, one) : NULL;
    }
    return product;
}

const struct gcal_poly *gcal_sets_domain_count(const struct gcal_sets_domain *domain)
{
    return count_domain(domain);
}

/* ---- counts ---- */

static const struct gcal_poly *count(struct gcal_sets_nest *nest,
                                     const struct gcal_sets_scope *scope,
                                     enum gcal_sets_count_mode mode,
                                     const struct gcal_sets_condition *branch,
                                     bool *estimated)
{
    struct gcal_sets_domain domain = {
        .nest = nest, .mode = mode, .branch = branch, .estimated = estimated
    };
    const struct gcal_poly *found;

    nest->error = 0;
    if (mode == GCAL_SETS_COUNT_SUB_GROUPS && nest->sub_group_size == 1 && !branch)
        domain.mode = GCAL_SETS_COUNT_WORK_ITEMS;
    if (!gcal_sets_nest_context(nest) || !gcal_sets_domain_fill(&domain, scope) ||
        !(found = count_domain(&domain)))
        return NULL;
    return gcal_poly_has_dimension(nest->c, found) ? NULL : found;
}

const struct gcal_poly *gcal_sets_scope_count_whole(struct gcal_sets_nest *nest,
                                                    const struct gcal_sets_scope *scope,
                                                    enum gcal_sets_count_mode mode,
                                                    bool *estimated)
{
    struct gcal_sets_cached_count one = { 0 };
    const struct gcal_sets_cached_count *found;

    one.key = gcal_poly_format(nest->c, "scope %p %d", (const void *)scope, (int)mode);
    if ((found = find_count(nest, &one))) {
        *estimated = *estimated || found->estimated;
        nest->error = found->error;
        return found->count;
    }
    one.count = count(nest, scope, mode, NULL, &one.estimated);
    one.error = nest->error;
    *estimated = *estimated || one.estimated;
    if (gcal_poly_context_has_failed(nest->c))
        return NULL;
    keep_count(nest, &one);
    return one.count;
}

const struct gcal_poly *
gcal_sets_branch_divergence(struct gcal_sets_nest *nest,
                            const struct gcal_sets_branch_event *branch)
{
    bool estimated = false;
    const struct gcal_poly *found;

    if (nest->sub_group_size == 1) /* one lane goes one way */
        return gcal_poly_integer(nest->c, 0);
    if (!branch->condition)
        return NULL;
    found = count(nest, branch->scope, GCAL_SETS_COUNT_SUB_GROUPS, branch->condition,
                  &estimated);
    return estimated && !(nest->error > 0) ? NULL : found;
}

bool gcal_sets_scope_is_around(const struct gcal_sets_scope *outer,
                               const struct gcal_sets_scope *scope)
{
    while (scope && scope != outer)
        scope = scope->parent;
    return scope == outer;
}
