/* chain.c - domains as dimensions and conditions, and the parts that depend on each other
 */
#include "kernels/sets/chain.h"

/* ---- what depends on what ---- */

bool gcal_condition_contains(struct gcal_polys *c, const struct gcal_condition *x,
                             unsigned atom)
{
    return (x->p && gcal_poly_contains(c, x->p, atom)) ||
           (x->a && gcal_condition_contains(c, x->a, atom)) ||
           (x->b && gcal_condition_contains(c, x->b, atom)) ||
           (x->kind == GCAL_CONDITION_EARLIER && x->loop == atom);
}

static void join_parts(struct gcal_chain *chain, size_t a, size_t b)
{
    size_t from = chain->part[a], to = chain->part[b];

    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->part[i] == from)
            chain->part[i] = to;
}

static void join_condition(struct gcal_chain *chain,
                           const struct gcal_condition *condition)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < chain->n_dims; i++) {
        if (!gcal_condition_contains(chain->nest->c, condition, chain->dims[i]))
            continue;
        if (first != SIZE_MAX)
            join_parts(chain, first, i);
        first = i;
    }
}

bool gcal_chain_has_condition(const struct gcal_chain *chain, size_t dim)
{
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_condition_contains(chain->nest->c, chain->conditions[i],
                                    chain->dims[dim]))
            return true;
    return chain->branch &&
           gcal_condition_contains(chain->nest->c, chain->branch, chain->dims[dim]);
}

bool gcal_chain_is_alone(const struct gcal_chain *chain, size_t dim)
{
    for (size_t i = 0; i < chain->n_dims; i++)
        if (i != dim && chain->part[i] == chain->part[dim])
            return false;
    return !gcal_chain_has_condition(chain, dim) &&
           !gcal_poly_has_dimension(chain->nest->c, chain->trips[dim]);
}

void gcal_chain_find_parts(struct gcal_chain *chain)
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
    if (!chain->linear)
        return;
    /* where one lid decides, the lanes' numbers do, which all lids make */
    for (size_t i = 0; i < chain->n_dims; i++)
        if (chain->is_lid[i] && !gcal_chain_is_alone(chain, i))
            lid = i;
    for (size_t i = 0; i < chain->n_dims && lid != SIZE_MAX; i++)
        if (chain->is_lid[i])
            join_parts(chain, i, lid);
}

/* ---- the chain ---- */

static bool has_ids(const struct gcal_nest *nest, const struct gcal_condition *condition)
{
    for (size_t d = 0; d < nest->n_dims; d++)
        if (gcal_condition_contains(nest->c, condition, gcal_poly_atom(nest->lid[d])) ||
            gcal_condition_contains(nest->c, condition, gcal_poly_atom(nest->gid[d])))
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

static bool add_dim(struct gcal_chain *chain, unsigned atom,
                    const struct gcal_poly *trips, bool is_lid)
{
    if (chain->n_dims == GCAL_MAX_CHAIN || !trips)
        return false;
    chain->dims[chain->n_dims] = atom;
    chain->is_lid[chain->n_dims] = is_lid;
    chain->trips[chain->n_dims++] = trips;
    return true;
}

/* Each side of an 'and' by itself: they may be about different dimensions. */
static bool add_condition(struct gcal_chain *chain, const struct gcal_condition *x)
{
    struct gcal_polys *c = chain->nest->c;

    if (x->kind == GCAL_CONDITION_AND)
        return add_condition(chain, x->a) && add_condition(chain, x->b);
    if (x->kind == GCAL_CONDITION_NOT && x->a->kind == GCAL_CONDITION_OR)
        return add_condition(chain, gcal_condition_not(c, x->a->a)) &&
               add_condition(chain, gcal_condition_not(c, x->a->b));
    if (chain->mode == GCAL_COUNT_ONE && has_ids(chain->nest, x)) {
        *chain->estimated = true; /* some do less than that */
        return true;
    }
    if (chain->n_conditions == GCAL_MAX_CONDITIONS)
        return false;
    chain->conditions[chain->n_conditions++] = x;
    return true;
}

static bool add_domain(struct gcal_chain *chain, const struct gcal_domain *domain)
{
    switch (domain->kind) {
    case GCAL_DOMAIN_LOOP:
        return add_dim(chain, domain->loop,
                       chain->mode == GCAL_COUNT_ONE
                           ? most_trips(chain->nest, domain->trips, chain->estimated)
                           : domain->trips,
                       false);
    case GCAL_DOMAIN_CONDITION:
        return add_condition(chain, domain->condition);
    default:
        *chain->estimated = true;
        return true;
    }
}

bool gcal_chain_fill(struct gcal_chain *chain, const struct gcal_domain *domain)
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
    gcal_chain_find_blocks(chain);
    gcal_chain_divide(chain);
    gcal_chain_find_parts(chain);
    return true;
}

/* ---- one part as a set ---- */

void gcal_part_fill(struct gcal_part *part, const struct gcal_chain *chain,
                    const bool *wanted)
{
    part->chain = chain;
    part->n_dims = part->n_lids = 0;
    part->frame = *chain->nest->frame;
    for (int lids = 1; lids >= 0; lids--)
        for (size_t i = 0; i < chain->n_dims; i++)
            if (wanted[i] && chain->is_lid[i] == lids) {
                part->frame.dims[part->n_dims] = chain->dims[i];
                part->dims[part->n_dims++] = i;
                part->n_lids += (size_t)lids;
            }
    part->frame.n_dims = part->n_dims;
}

bool gcal_part_has(const struct gcal_part *part, const struct gcal_condition *condition)
{
    const struct gcal_chain *chain = part->chain;
    bool free = true;

    for (size_t i = 0; i < chain->n_dims; i++)
        if (gcal_condition_contains(chain->nest->c, condition, chain->dims[i])) {
            free = false;
            for (size_t j = 0; j < part->n_dims; j++)
                if (part->dims[j] == i)
                    return true;
        }
    return free && part->n_dims == 0;
}

void gcal_part_learn(struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;

    for (size_t i = 0; i < part->n_dims; i++)
        gcal_frame_learn(&part->frame, chain->trips[part->dims[i]]);
    for (size_t i = 0; i < chain->n_conditions; i++)
        if (gcal_part_has(part, chain->conditions[i]))
            gcal_frame_learn_condition(&part->frame, chain->conditions[i]);
    if (chain->branch && gcal_part_has(part, chain->branch))
        gcal_frame_learn_condition(&part->frame, chain->branch);
}

isl_set *gcal_part_points(struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;
    isl_set *set, *held;

    if (part->frame.failed)
        return NULL;
    set = isl_set_from_basic_set(gcal_frame_universe(&part->frame));
    for (size_t i = 0; i < part->n_dims; i++)
        set = isl_set_intersect(
            set, gcal_frame_range(&part->frame, i, chain->trips[part->dims[i]]));
    for (size_t i = 0; i < chain->n_conditions && set; i++) {
        if (!gcal_part_has(part, chain->conditions[i]))
            continue;
        if ((held = gcal_frame_condition(&part->frame, chain->conditions[i])))
            set = isl_set_intersect(set, held);
        else
            *chain->estimated = true;
    }
    return set;
}

void gcal_part_learn_others(struct gcal_part *part)
{
    const struct gcal_chain *chain = part->chain;

    for (size_t i = 0; i < chain->n_dims; i++)
        gcal_frame_learn(&part->frame, chain->trips[i]);
    for (size_t i = 0; i < chain->n_conditions; i++)
        gcal_frame_learn_condition(&part->frame, chain->conditions[i]);
}

/* The sizes at which the 'wanted' dimensions, or what has none, have any point. */
static isl_set *sizes_of(const struct gcal_part *part, const bool *wanted)
{
    struct gcal_frame sizes = part->frame;
    struct gcal_part other;

    gcal_part_fill(&other, part->chain, wanted);
    for (size_t i = 0; i < other.n_dims; i++)
        sizes.dims[i] = other.frame.dims[i];
    sizes.n_dims = other.n_dims;
    other.frame = sizes;
    return isl_set_params(gcal_part_points(&other));
}

isl_set *gcal_part_others(const struct gcal_part *part)
{
    bool others[GCAL_MAX_CHAIN], none[GCAL_MAX_CHAIN] = { false };

    for (size_t i = 0; i < GCAL_MAX_CHAIN; i++)
        others[i] = i < part->chain->n_dims;
    for (size_t i = 0; i < part->n_dims; i++)
        others[part->dims[i]] = false;
    return isl_set_intersect(sizes_of(part, others), sizes_of(part, none));
}
