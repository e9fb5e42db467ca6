/* domain.c - domains as dimensions and conditions, and their independent components */
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

void gcal_sets_domain_substitute(struct gcal_sets_domain *domain, unsigned atom,
                                 const struct gcal_poly *value)
{
    struct gcal_poly_context *c = domain->nest->c;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_poly_contains(c, domain->trips[i], atom))
            domain->trips[i] = gcal_poly_substitute(c, domain->trips[i], atom, value);
    if (domain->offset)
        domain->offset = gcal_poly_substitute(c, domain->offset, atom, value);
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
