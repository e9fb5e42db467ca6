/* chain.h - a domain taken apart: its dimensions, what bounds them, what depends on what
 * (private to domain.c, chain.c, lanes.c and footprint.c)
 */
#ifndef GCAL_KERNELS_SETS_CHAIN_H
#define GCAL_KERNELS_SETS_CHAIN_H

#include "kernels/sets/points.h"

enum { GCAL_MAX_CHAIN = GCAL_MAX_NEST - 1, GCAL_MAX_CONDITIONS = 64 };

struct gcal_chain {
    struct gcal_nest *nest;
    enum gcal_count_mode mode;
    const struct gcal_condition *branch; /* lanes must differ on it; NULL: no matter */
    bool *estimated;
    size_t n_dims, n_conditions;
    unsigned
        dims[GCAL_MAX_CHAIN]; /* work-item ids first, then loops from the inside out */
    bool is_lid[GCAL_MAX_CHAIN];
    int64_t block[GCAL_MAX_CHAIN]; /* lids that are counted as one */
    bool linear;                   /* sub-groups are no blocks of lids */
    const struct gcal_poly *trips[GCAL_MAX_CHAIN];
    size_t part[GCAL_MAX_CHAIN]; /* dims of one part are counted together */
    const struct gcal_condition *conditions[GCAL_MAX_CONDITIONS];
    const struct gcal_poly *offset; /* of an access, in these dimensions; or NULL */
};

/* Dimensions of a chain that are one set together. */
struct gcal_part {
    const struct gcal_chain *chain;
    struct gcal_frame frame;
    size_t n_dims, n_lids;
    size_t dims[GCAL_MAX_CHAIN]; /* indices into the chain's, lids first */
};

/* What all sets of the nest start from: its assumptions.  NULL when memory is short, and
 * the nest's context has failed.
 */
const struct gcal_frame *gcal_nest_frame(struct gcal_nest *nest);

/* Around work with sets, of at most so many of isl's operations and some steps of the
 * polynomials; after some that needed more there is none (false).  At the end, true when
 * the work was done within.
 */
bool gcal_nest_begin_sets(struct gcal_nest *nest, long operations);
bool gcal_nest_end_sets(struct gcal_nest *nest);

bool gcal_condition_contains(struct gcal_polys *c, const struct gcal_condition *condition,
                             unsigned atom);

/* From 'domain' outwards, with nest, mode, branch, estimated and offset set.  False when
 * it is too deep, or the mode is GCAL_COUNT_ONE and it is not clear who does most.
 */
bool gcal_chain_fill(struct gcal_chain *chain, const struct gcal_domain *domain);

/* What groups or sub-groups are in the chain's dimensions. */
void gcal_chain_find_blocks(struct gcal_chain *chain);
/* After a change: which dimensions depend on each other. */
void gcal_chain_find_parts(struct gcal_chain *chain);

/* Nothing depends on the dimension, and it depends on sizes alone. */
bool gcal_chain_is_alone(const struct gcal_chain *chain, size_t dim);
bool gcal_chain_has_condition(const struct gcal_chain *chain, size_t dim);

/* The dimensions that 'wanted' (one per dimension of the chain) names. */
void gcal_part_fill(struct gcal_part *part, const struct gcal_chain *chain,
                    const bool *wanted);
/* Whether a condition is about these dimensions; those without any belong to the part
 * without any.
 */
bool gcal_part_has(const struct gcal_part *part, const struct gcal_condition *condition);

/* Shows the part's frame all that it is made of. */
void gcal_part_learn(struct gcal_part *part);
/* The part's points; conditions that are not affine are left out and '*estimated' of the
 * chain is set.  NULL when a loop is not affine.
 */
isl_set *gcal_part_points(struct gcal_part *part);

/* Shows the part's frame what the rest of its chain is made of, and the sizes at which
 * that rest has any point.
 */
void gcal_part_learn_others(struct gcal_part *part);
isl_set *gcal_part_others(const struct gcal_part *part);

/* ---- rows.c ---- */

/* Dimensions that are divided by a size become two, where that makes them affine. */
void gcal_chain_divide(struct gcal_chain *chain);

/* ---- lanes.c ---- */

/* 'set' (taken) with groups or sub-groups in which any work-item takes part for its local
 * ids, as the chain's mode wants it.
 */
isl_set *gcal_part_without_lanes(struct gcal_part *part, isl_set *set);
/* Where some take part in the chain's branch and others do not. */
isl_set *gcal_part_where_lanes_differ(struct gcal_part *part, isl_set *set);

#endif
