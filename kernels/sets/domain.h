/* domain.h - a domain taken apart: its dimensions, what bounds them, what depends on what
 * (private to scope.c, domain.c, subgroup.c and footprint.c)
 */
#ifndef GCAL_KERNELS_SETS_DOMAIN_H
#define GCAL_KERNELS_SETS_DOMAIN_H

#include "kernels/sets/context.h"

enum { GCAL_SETS_MAX_DIMS = GCAL_SETS_MAX_DEPTH - 1, GCAL_SETS_MAX_CONDITIONS = 64 };

struct gcal_sets_domain {
    struct gcal_sets_nest *nest;
    enum gcal_sets_count_mode mode;
    const struct gcal_sets_condition
        *branch; /* lanes must differ on it; NULL: no matter */
    bool *estimated;
    size_t n_dims, n_conditions;
    unsigned dims[GCAL_SETS_MAX_DIMS]; /* work-item ids first, then loops from the inside
                                          out */
    bool is_lid[GCAL_SETS_MAX_DIMS];
    int64_t block[GCAL_SETS_MAX_DIMS]; /* lids that are counted as one */
    bool linear;                       /* sub-groups are no blocks of lids */
    const struct gcal_poly *trips[GCAL_SETS_MAX_DIMS];
    size_t part[GCAL_SETS_MAX_DIMS]; /* dims of one part are counted together */
    const struct gcal_sets_condition *conditions[GCAL_SETS_MAX_CONDITIONS];
    const struct gcal_poly *offset; /* of an access, in these dimensions; or NULL */
};

/* Dimensions of a chain that are one set together. */
struct gcal_sets_component {
    const struct gcal_sets_domain *domain;
    struct gcal_sets_context context;
    size_t n_dims, n_lids;
    size_t dims[GCAL_SETS_MAX_DIMS]; /* indices into the chain's, lids first */
};

/* What all sets of the nest start from: its assumptions.  NULL when memory is short, and
 * the nest's context has failed.
 */
const struct gcal_sets_context *gcal_sets_nest_context(struct gcal_sets_nest *nest);

/* Around work with sets, of at most so many of isl's operations and some steps of the
 * polynomials; after some that needed more there is none (false).  At the end, true when
 * the work was done within.
 */
bool gcal_sets_begin_attempt(struct gcal_sets_nest *nest, long operations);
bool gcal_sets_end_attempt(struct gcal_sets_nest *nest);

bool gcal_sets_condition_contains(struct gcal_poly_context *c,
                                  const struct gcal_sets_condition *condition,
                                  unsigned atom);

/* From 'scope' outwards, with nest, mode, branch, estimated and offset set.  False when
 * it is too deep, or the mode is GCAL_SETS_COUNT_BUSIEST and it is not clear who does
 * most.
 */
bool gcal_sets_domain_fill(struct gcal_sets_domain *domain,
                           const struct gcal_sets_scope *scope);

/* What groups or sub-groups are in the chain's dimensions. */
void gcal_sets_domain_find_blocks(struct gcal_sets_domain *domain);
/* After a change: which dimensions depend on each other. */
void gcal_sets_domain_find_components(struct gcal_sets_domain *domain);

/* Nothing depends on the dimension, and it depends on sizes alone. */
bool gcal_sets_domain_is_independent(const struct gcal_sets_domain *domain, size_t dim);
bool gcal_sets_domain_has_condition(const struct gcal_sets_domain *domain, size_t dim);

/* The dimensions that 'wanted' (one per dimension of the chain) names. */
void gcal_sets_component_fill(struct gcal_sets_component *part,
                              const struct gcal_sets_domain *domain, const bool *wanted);
/* Whether a condition is about these dimensions; those without any belong to the part
 * without any.
 */
bool gcal_sets_component_has(const struct gcal_sets_component *part,
                             const struct gcal_sets_condition *condition);

/* Shows the part's frame all that it is made of. */
void gcal_sets_component_register(struct gcal_sets_component *part);
/* The part's points; conditions that are not affine are left out and '*estimated' of the
 * chain is set.  NULL when a loop is not affine.
 */
isl_set *gcal_sets_component_set(struct gcal_sets_component *part);

/* Shows the part's frame what the rest of its chain is made of, and the sizes at which
 * that rest has any point.
 */
void gcal_sets_component_register_others(struct gcal_sets_component *part);
isl_set *gcal_sets_component_others(const struct gcal_sets_component *part);

/* ---- delinearize.c ---- */

/* Dimensions that are divided by a size become two, where that makes them affine. */
void gcal_sets_domain_delinearize(struct gcal_sets_domain *domain);

/* ---- subgroup.c ---- */

/* 'set' (taken) with groups or sub-groups in which any work-item takes part for its local
 * ids, as the chain's mode wants it.
 */
isl_set *gcal_sets_component_project_lanes(struct gcal_sets_component *part,
                                           isl_set *set);
/* Where some take part in the chain's branch and others do not. */
isl_set *gcal_sets_component_divergent_lanes(struct gcal_sets_component *part,
                                             isl_set *set);

#endif
