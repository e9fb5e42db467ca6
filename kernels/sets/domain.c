/* domain.c - domains as dimensions and conditions, and the parts that depend on each
 * other
 */
#include "kernels/sets/domain.h"

/* ---- what depends on what ---- */

bool gcal_sets_condition_contains(struct gcal_poly_context *c,
                                  const struct gcal_sets_condition *x, unsigned atom)
{
    return (x->p && gcal_poly_contains(c, x->p, atom)) ||
           (x->a && gcal_sets_condition_contains(c, x->a, atom)) ||
           (x->b && gcal_sets_condition_contains(c, x->b, atom)) ||
           (x->kind == GCAL_SETS_CONDITION_EARLIER && x->loop == atom);
}

static void join_parts(struct gcal_sets_domain *domain, size_t a, size_t b)
{
    size_t from = domain->part[a], to = domain->part[b];

    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->part[i] == from)
            domain->part[i] = to;
}

static void join_condition(struct gcal_sets_domain *domain,
                           const struct gcal_sets_condition *condition)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < domain->n_dims; i++) {
        if (!gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i]))
            continue;
        if (first != SIZE_MAX)
            join_parts(domain, first, i);
        first = i;
    }
}

bool gcal_sets_domain_has_condition(const struct gcal_sets_domain *domain, size_t dim)
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
        if (i != dim && domain->part[i] == domain->part[dim])
            return false;
    return !gcal_sets_domain_has_condition(domain, dim) &&
           !gcal_poly_has_dimension(domain->nest->c, domain->trips[dim]);
}

void gcal_sets_domain_find_components(struct gcal_sets_domain *domain)
{
    size_t lid = SIZE_MAX;

    for (size_t i = 0; i < domain->n_dims; i++)
        domain->part[i] = i;
    for (size_t i = 0; i < domain->n_dims; i++)
        for (size_t j = 0; j < domain->n_dims; j++)
            if (i != j &&
                gcal_poly_contains(domain->nest->c, domain->trips[i], domain->dims[j]))
                join_parts(domain, i, j);
    for (size_t i = 0; i < domain->n_conditions; i++)
        join_condition(domain, domain->conditions[i]);
    if (domain->branch)
        join_condition(domain, domain->branch);
    if (!domain->linear)
        return;
    /* where one lid decides, the lanes' numbers do, which all lids make */
    for (size_t i = 0; i < domain->n_dims; i++)
        if (domain->is_lid[i] && !gcal_sets_domain_is_independent(domain, i))
            lid = i;
    for (size_t i = 0; i < domain->n_dims && lid != SIZE_MAX; i++)
        if (domain->is_lid[i])
            join_parts(domain, i, lid);
}

/* ---- the chain ---- */

static bool has_ids(const struct gcal_sets_nest *nest,
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

/* 'trips' of the work-item that does most of them; NULL when that is not clear. */
static const struct gcal_poly *most_trips(struct gcal_sets_nest *nest,
                                          const struct gcal_poly *trips, bool *estimated)
{
    struct gcal_poly_context *c = nest->c;

    for (size_t i = 0; i < 2 * nest->n_dims; i++) {
        unsigned atom = gcal_poly_atom_index(i % 2 ? nest->lid[i / 2] : nest->gid[i / 2]);
        const struct gcal_poly *first, *last;

        if (!gcal_poly_contains(c, trips, atom))
            continue;
        *estimated = true;
        first = gcal_poly_substitute(c, trips, atom, gcal_poly_integer(c, 0));
        last = gcal_poly_substitute(c, trips, atom, gcal_poly_atom_last(c, atom));
        if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, first, trips)))
            trips = first;
        else if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, last, trips)))
            trips = last;
        else
            return NULL;
    }
    return trips;
}

static bool add_dim(struct gcal_sets_domain *domain, unsigned atom,
                    const struct gcal_poly *trips, bool is_lid)
{
    if (domain->n_dims == GCAL_SETS_MAX_DIMS || !trips)
        return false;
    domain->dims[domain->n_dims] = atom;
    domain->is_lid[domain->n_dims] = is_lid;
    domain->trips[domain->n_dims++] = trips;
    return true;
}

/* Each side of an 'and' by itself: they may be about different dimensions. */
static bool add_condition(struct gcal_sets_domain *domain,
                          const struct gcal_sets_condition *x)
{
    struct gcal_poly_context *c = domain->nest->c;

    if (x->kind == GCAL_SETS_CONDITION_AND)
        return add_condition(domain, x->a) && add_condition(domain, x->b);
    if (x->kind == GCAL_SETS_CONDITION_NOT && x->a->kind == GCAL_SETS_CONDITION_OR)
        return add_condition(domain, gcal_sets_condition_not(c, x->a->a)) &&
               add_condition(domain, gcal_sets_condition_not(c, x->a->b));
    if (domain->mode == GCAL_SETS_COUNT_BUSIEST && has_ids(domain->nest, x)) {
        *domain->estimated = true; /* some do less than that */
        return true;
    }
    if (domain->n_conditions == GCAL_SETS_MAX_CONDITIONS)
        return false;
    domain->conditions[domain->n_conditions++] = x;
    return true;
}

static bool add_domain(struct gcal_sets_domain *domain,
                       const struct gcal_sets_scope *scope)
{
    switch (scope->kind) {
    case GCAL_SETS_SCOPE_LOOP:
        return add_dim(domain, scope->loop,
                       domain->mode == GCAL_SETS_COUNT_BUSIEST
                           ? most_trips(domain->nest, scope->trips, domain->estimated)
                           : scope->trips,
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
    const struct gcal_sets_nest *nest = domain->nest;

    for (size_t d = 0; d < nest->n_dims && domain->mode != GCAL_SETS_COUNT_BUSIEST; d++)
        if (!add_dim(domain, gcal_poly_atom_index(nest->gid[d]), nest->groups[d],
                     false) ||
            !add_dim(domain, gcal_poly_atom_index(nest->lid[d]),
                     gcal_poly_integer(nest->c, nest->local_size[d]), true))
            return false;
    for (; scope; scope = scope->parent)
        if (!add_domain(domain, scope))
            return false;
    gcal_sets_domain_find_blocks(domain);
    gcal_sets_domain_delinearize(domain);
    gcal_sets_domain_find_components(domain);
    return true;
}

/* ---- one part as a set ---- */

void gcal_sets_component_fill(struct gcal_sets_component *part,
                              const struct gcal_sets_domain *domain, const bool *wanted)
{
    part->domain = domain;
    part->n_dims = part->n_lids = 0;
    part->context = *domain->nest->context;
    for (int lids = 1; lids >= 0; lids--)
        for (size_t i = 0; i < domain->n_dims; i++)
            if (wanted[i] && domain->is_lid[i] == lids) {
                part->context.dims[part->n_dims] = domain->dims[i];
                part->dims[part->n_dims++] = i;
                part->n_lids += (size_t)lids;
            }
    part->context.n_dims = part->n_dims;
}

bool gcal_sets_component_has(const struct gcal_sets_component *part,
                             const struct gcal_sets_condition *condition)
{
    const struct gcal_sets_domain *domain = part->domain;
    bool free = true;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i])) {
            free = false;
            for (size_t j = 0; j < part->n_dims; j++)
                if (part->dims[j] == i)
                    return true;
        }
    return free && part->n_dims == 0;
}

void gcal_sets_component_register(struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;

    for (size_t i = 0; i < part->n_dims; i++)
        gcal_sets_context_register(&part->context, domain->trips[part->dims[i]]);
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(part, domain->conditions[i]))
            gcal_sets_context_register_condition(&part->context, domain->conditions[i]);
    if (domain->branch && gcal_sets_component_has(part, domain->branch))
        gcal_sets_context_register_condition(&part->context, domain->branch);
}

isl_set *gcal_sets_component_set(struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;
    isl_set *set, *held;

    if (part->context.failed)
        return NULL;
    set = isl_set_from_basic_set(gcal_sets_context_universe(&part->context));
    for (size_t i = 0; i < part->n_dims; i++)
        set =
            isl_set_intersect(set, gcal_sets_context_range(&part->context, i,
                                                           domain->trips[part->dims[i]]));
    for (size_t i = 0; i < domain->n_conditions && set; i++) {
        if (!gcal_sets_component_has(part, domain->conditions[i]))
            continue;
        if ((held = gcal_sets_context_condition(&part->context, domain->conditions[i])))
            set = isl_set_intersect(set, held);
        else
            *domain->estimated = true;
    }
    return set;
}

void gcal_sets_component_register_others(struct gcal_sets_component *part)
{
    const struct gcal_sets_domain *domain = part->domain;

    for (size_t i = 0; i < domain->n_dims; i++)
        gcal_sets_context_register(&part->context, domain->trips[i]);
    for (size_t i = 0; i < domain->n_conditions; i++)
        gcal_sets_context_register_condition(&part->context, domain->conditions[i]);
}

/* The sizes at which the 'wanted' dimensions, or what has none, have any point. */
static isl_set *sizes_of(const struct gcal_sets_component *part, const bool *wanted)
{
    struct gcal_sets_context sizes = part->context;
    struct gcal_sets_component other;

    gcal_sets_component_fill(&other, part->domain, wanted);
    for (size_t i = 0; i < other.n_dims; i++)
        sizes.dims[i] = other.context.dims[i];
    sizes.n_dims = other.n_dims;
    other.context = sizes;
    return isl_set_params(gcal_sets_component_set(&other));
}

isl_set *gcal_sets_component_others(const struct gcal_sets_component *part)
{
    bool others[GCAL_SETS_MAX_DIMS], none[GCAL_SETS_MAX_DIMS] = { false };

    for (size_t i = 0; i < GCAL_SETS_MAX_DIMS; i++)
        others[i] = i < part->domain->n_dims;
    for (size_t i = 0; i < part->n_dims; i++)
        others[part->dims[i]] = false;
    return isl_set_intersect(sizes_of(part, others), sizes_of(part, none));
}
