/* lanes.h - what the lanes of a sub-group access and touch together
 *
 * An execution of a load or store by a sub-group accesses one element per lane that takes
 * part.  What it costs is a function of these elements together, as the number of sectors
 * in which they are: such functions are summed over all executions.
 */
#ifndef GCAL_KERNELS_LANES_H
#define GCAL_KERNELS_LANES_H

#include "kernels/poly/poly.h"
#include "kernels/sets/sets.h"

/* What the lanes of a sub-group access together: the elements 'at' of 'row', relative to a
 * base that they share.  Lanes of different rows are far apart.
 */
struct gcal_lanes {
    size_t n; /* lanes that take part, at least 1 */
    int64_t *at, *row;
};

/* A number that follows from them and the base's residue, such as the sectors touched. */
struct gcal_lanes_sum {
    int64_t modulus; /* of the residues that matter, 1 to 512 */
    int64_t width;   /* elements per lane */
    int64_t (*measure)(const struct gcal_lanes *lanes, int64_t residue, void *data);
    void *data;
    bool all_lanes; /* the mean of an execution by all lanes, any residue, instead */
    /* results: */
    bool estimated; /* conditions that are unknown were taken to hold */
    int64_t known; /* divides 'modulus': residues are known modulo this, and beyond it the
                      mean over them is summed */
    const struct gcal_poly *rows; /* exact where this is at least ..; NULL: always */
    int64_t least_row;
    int64_t most_rows; /* between lanes of one execution */
};

/* The sum over all executions of a load or store by sub-groups, whose size must be known.
 * NULL when which lanes take part depends on more than local ids and short loops, or
 * lanes access what is not affine.
 */
const struct gcal_poly *gcal_lanes_sum(struct gcal_sets_nest *nest,
                                       const struct gcal_sets_access_event *access,
                                       struct gcal_lanes_sum *sum);

enum { GCAL_LANES_MAX_ROWS = 6 };

/* Distances of which rows that lanes of one sub-group access are sums of multiples, in
 * elements; n = 0: these lanes are in one row, or their subscript is not affine.
 */
struct gcal_lanes_strides {
    size_t n;
    const struct gcal_poly *all[GCAL_LANES_MAX_ROWS];
};

/* By complete sub-groups: from local ids alone, so that the way by which a sum is found does
 * not matter.
 */
void gcal_lanes_find_strides(struct gcal_sets_nest *nest,
                             const struct gcal_sets_access_event *access,
                             struct gcal_lanes_strides *strides);

/* An estimate of gcal_lanes_sum() for subscripts that are clamped to a range, or have quotients, of
 * a measure of blocks of 'modulus' elements.  NULL when it has none.
 */
const struct gcal_poly *gcal_lanes_sum_near(struct gcal_sets_nest *nest,
                                            const struct gcal_sets_access_event *access,
                                            struct gcal_lanes_sum *sum);

/* The mean of a sample of executions at typical sizes, always the same one, of an access or of
 * one with sides; NULL: its places are unknown.
 */
const struct gcal_poly *gcal_lanes_sample(struct gcal_sets_nest *nest,
                                          const struct gcal_sets_access_event *access,
                                          const struct gcal_lanes_sum *sum);

enum gcal_lanes_region {
    GCAL_LANES_LAUNCH,
    GCAL_LANES_GROUP,
    GCAL_LANES_SUB_GROUP /* in all loops, or in each execution of one */
};

/* The aligned blocks of 'size' elements that 'n' accesses touch together in each region, summed
 * over regions, where subscripts have quotients by numbers.  '*estimated' where unknown
 * conditions were taken to hold, or not all regions were met.  NULL where it is unknown, as
 * where they are not made of numbers alone, or takes long.
 */
const struct gcal_poly *gcal_lanes_region_blocks(
    struct gcal_sets_nest *nest, size_t n,
    const struct gcal_sets_access_event *const *accesses, enum gcal_lanes_region region,
    const struct gcal_sets_scope *loop, int64_t size, bool *estimated);

/* The sum of the aligned blocks of 'size' elements that the lanes of each execution
 * touch, or cover as a 'whole' (of stores that are contiguous), where which lanes take
 * part may depend on sizes and all loops.  NULL when it is unknown.
 */
const struct gcal_poly *
gcal_lanes_blocks_touched(struct gcal_sets_nest *nest,
                          const struct gcal_sets_access_event *access, int64_t size,
                          bool whole);

#endif
