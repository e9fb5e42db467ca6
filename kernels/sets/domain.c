/* domain.c - domains: the ids, loops and conditions around a scope, simplified, and their
 * independent components
 */
#include "kernels/sets/private.h"

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
        if (i != dim && domain->component[i] == domain->component[dim])
            return false;
    return !gcal_sets_domain_has_condition(domain, dim) &&
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
                              : domain->mode == GCAL_SETS_COUNT_GROUPS   ? 2
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
        bool is_used = gcal_sets_domain_has_condition(domain, i);

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
    gcal_sets_domain_delinearize(domain);
    gcal_sets_domain_divide(domain);
    gcal_sets_domain_find_components(domain);
    return true;
}
