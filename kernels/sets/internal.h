/* internal.h - domains, for kernels/sets and kernels/lanes
 *
 * A domain is the set of points at which an event happens: its dimensions are work-item
 * ids and loop variables, its constraints the trip counts and conditions around it.
 */
#ifndef GCAL_KERNELS_SETS_INTERNAL_H
#define GCAL_KERNELS_SETS_INTERNAL_H

#include "kernels/sets/sets.h"

/* ---- nest.c: what all domains of a nest share ---- */

/* The context that all sets of the nest start from; NULL when out of memory, and the
 * polynomials' context has failed.
 */
const struct gcal_sets_context *gcal_sets_nest_context(struct gcal_sets_nest *nest);

/* ---- domain.c ---- */

enum { GCAL_SETS_MAX_DIMS = GCAL_SETS_MAX_DEPTH - 1, GCAL_SETS_MAX_CONDITIONS = 64 };

struct gcal_sets_domain {
    struct gcal_sets_nest *nest;
    enum gcal_sets_count_mode mode;
    const struct gcal_sets_condition *branch; /* count sub-groups whose lanes differ on
                                                 it; NULL: count all */
    bool *estimated;
    size_t n_dims, n_conditions;
    unsigned dims[GCAL_SETS_MAX_DIMS]; /* atoms: ids first, then loops, innermost first */
    bool is_lid[GCAL_SETS_MAX_DIMS];
    int64_t block[GCAL_SETS_MAX_DIMS]; /* local ids per group or sub-group */
    bool linear;                       /* sub-groups are no blocks of local ids */
    bool joined;                       /* an attempt with joined ids, before another */
    const struct gcal_poly *trips[GCAL_SETS_MAX_DIMS];
    size_t component[GCAL_SETS_MAX_DIMS]; /* number of the dimension's component */
    const struct gcal_sets_condition *conditions[GCAL_SETS_MAX_CONDITIONS];
    const struct gcal_poly *offset; /* of an access, in these dimensions; or NULL */
    bool keeps_groups, keeps_lanes; /* the ids of groups, local ids stay dimensions */
};

/* Adds a dimension of so many values; false: there are too many, or 'trips' is NULL. */
bool gcal_sets_domain_add(struct gcal_sets_domain *domain, unsigned atom,
                          const struct gcal_poly *trips, bool is_lid);
/* Adds the ids of groups and the local ids of the domain's nest, in turn. */
bool gcal_sets_domain_add_ids(struct gcal_sets_domain *domain);
/* The domain of 'scope'; the caller has set nest, mode, branch, estimated, offset,
 * keeps_groups and keeps_lanes.  False when it is nested too deeply, or the mode is
 * GCAL_SETS_COUNT_BUSIEST and no work-item is known to do most.
 */
bool gcal_sets_domain_fill(struct gcal_sets_domain *domain,
                           const struct gcal_sets_scope *scope);
/* Puts 'value' in place of 'atom' in trips and offset. */
void gcal_sets_domain_substitute(struct gcal_sets_domain *domain, unsigned atom,
                                 const struct gcal_poly *value);
/* Finds the components again after a change. */
void gcal_sets_domain_find_components(struct gcal_sets_domain *domain);
/* Returns whether a dimension is a component of its own without constraints. */
bool gcal_sets_domain_is_independent(const struct gcal_sets_domain *domain, size_t dim);

/* ---- scope.c ---- */

/* The number of points of a domain whose components have been found; NULL: unknown. */
const struct gcal_poly *gcal_sets_domain_count(const struct gcal_sets_domain *domain);

/* ---- subgroup.c ---- */

/* Fills 'block' and 'linear' of the domain. */
void gcal_sets_domain_find_blocks(struct gcal_sets_domain *domain);

#endif
