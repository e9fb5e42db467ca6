/* private.h - lanes' subscripts, and the walk over the lanes of sub-groups */
#ifndef GCAL_KERNELS_LANES_PRIVATE_H
#define GCAL_KERNELS_LANES_PRIVATE_H

#include "kernels/lanes/lanes.h"
#include "kernels/sets/internal.h"

/* ---- subscript.c ---- */

/* The part of the lanes in one row; rows are at multiples of the stride, a product of
 * sizes.
 */
struct gcal_lanes_subscript_row {
    const struct gcal_poly *stride, *lanes;
};

/* A subscript is lanes + sum of strides*rows + base + a multiple of 'modulus'.  The base's
 * residues by the modulus given are first_residue + k*residue_step, up to most_residue.
 */
struct gcal_lanes_subscript {
    const struct gcal_poly *lanes; /* of the dimensions that differ by lane */
    size_t n_rows;
    struct gcal_lanes_subscript_row rows[GCAL_LANES_MAX_ROWS];
    const struct gcal_poly *base;
    int64_t modulus; /* a divisor of the one given: the residue beyond it is unknown */
    int64_t first_residue, residue_step, most_residue;
    struct gcal_poly_multiples multiples; /* 'of' is set by the caller */
};

/* False when dimensions that differ by lane are multiplied by others. */
bool gcal_lanes_subscript_split(struct gcal_poly_context *c,
                                const struct gcal_poly *offset, int64_t modulus,
                                size_t n_dims, const unsigned *dims, const bool *by_lane,
                                struct gcal_lanes_subscript *to);

/* ---- walk.c: what lanes access, and how often each residue of the base occurs ---- */

enum { GCAL_LANES_MOST_MODULUS = 512 };

struct gcal_lanes_walk {
    struct gcal_sets_nest *nest;
    struct gcal_sets_domain domain;
    struct gcal_lanes_subscript split;
    bool enumerated[GCAL_SETS_MAX_DIMS], assigned[GCAL_SETS_MAX_DIMS];
    int64_t value[GCAL_SETS_MAX_DIMS];
    bool fixes_remainders; /* set by the caller: each remainder is a part of its own */
    size_t part, n_parts;  /* the one at hand, of those that make up the domain */
    size_t n_levels, level[GCAL_SETS_MAX_DIMS]; /* enumerated loops, outermost first */
    bool *active;                /* a row of lanes for each level, and one more */
    int64_t *lid[GCAL_MAX_DIMS]; /* of the lanes of the sub-group at hand */
    size_t n_lanes;
    struct gcal_lanes at; /* those that take part */
    struct gcal_lanes_sum *sum;
    int64_t total[GCAL_LANES_MOST_MODULUS]; /* of the measure, by residue of the base */
    int64_t widest;    /* what a row must have for rows to be apart, in elements */
    int64_t most_rows; /* from the first to the last row of lanes together */
    int64_t executions;
    long evaluations_left;
    bool typical; /* sizes have values, too */
};

/* Fills the domain, which dimensions are enumerated ('lids_only', or those that they
 * depend on as well), and the split.  False when the access is not affine.
 */
bool gcal_lanes_prepare(struct gcal_lanes_walk *l,
                        const struct gcal_sets_access_event *access, bool lids_only);
/* Assigns the local ids of a work-item of the group. */
void gcal_lanes_assign(struct gcal_lanes_walk *l, int64_t item);
/* The element and the row of the lane whose ids are assigned become the last of l->at. */
bool gcal_lanes_add(struct gcal_lanes_walk *l);
/* Adds the measure of l->at to the totals, with the weight 'times'. */
void gcal_lanes_measure(struct gcal_lanes_walk *l, int64_t times);
/* The totals over residues, each times the count of its interval; NULL if any is. */
const struct gcal_poly *gcal_lanes_sum_residues(
    struct gcal_lanes_walk *l,
    const struct gcal_poly *(*count)(struct gcal_lanes_walk *l, int64_t low, int64_t high,
                                     void *data),
    void *data);
/* The points of a domain at which the base's residue is low to high.  '*rest', NULL at
 * first: for other intervals of the same domain.
 */
const struct gcal_poly *gcal_lanes_count(const struct gcal_lanes_walk *l,
                                         struct gcal_sets_domain *domain, int64_t low,
                                         int64_t high, const struct gcal_poly **rest);

/* ---- remainders.c ---- */

/* Replaces dimensions that lanes depend on in quotients by numbers, by their quotients and
 * remainders, the latter enumerated; in l->part of the domain's l->n_parts.
 */
void gcal_lanes_split_remainders(struct gcal_lanes_walk *l, bool ignores_conditions);

/* ---- value.c: false when a dimension has no value, or on overflow ---- */

/* num/den = p, den > 0 */
bool gcal_lanes_evaluate(struct gcal_lanes_walk *l, const struct gcal_poly *p,
                         int64_t *num, int64_t *den);
bool gcal_lanes_evaluate_integer(struct gcal_lanes_walk *l, const struct gcal_poly *p,
                                 int64_t *value);
bool gcal_lanes_evaluate_condition(struct gcal_lanes_walk *l,
                                   const struct gcal_sets_condition *x, bool *holds);

/* ---- boxes.c ---- */

/* The sum where the lanes that take part are a box of local ids in each sub-group, whose
 * bounds are symbolic; NULL when that is unknown.
 */
const struct gcal_poly *gcal_lanes_sum_boxes(struct gcal_lanes_walk *l,
                                             const struct gcal_sets_access_event *access);

#endif
