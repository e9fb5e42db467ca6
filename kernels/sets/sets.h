/* sets.h - a kernel as loops around operations and accesses
 *
 * What the front end (walk*.c) makes of OpenCL C and counting works on.  Loops are
 * normalised to v = 0 .. trips-1; work-items are the dimensions lid and gid.
 * All of it lives in the memory of the polynomials' context.
 */
#ifndef GCAL_KERNELS_SETS_H
#define GCAL_KERNELS_SETS_H

#include "calib/model/feature.h"
#include "kernels/poly/poly.h"

enum { GCAL_SETS_MAX_DEPTH = 40 };

/* What is counted: executions by all work-items; by work-groups, those where at least one
 * work-item takes part (counts by sub-group follow from it); by sub-groups in the same
 * way, whose size must be known for it; or by the one work-item that does most.
 */
enum gcal_sets_count_mode {
    GCAL_SETS_COUNT_WORK_ITEMS,
    GCAL_SETS_COUNT_GROUPS,
    GCAL_SETS_COUNT_SUB_GROUPS,
    GCAL_SETS_COUNT_BUSIEST,
};

/* A condition on ids, sizes and loop variables; immutable. */
enum gcal_sets_condition_kind {
    GCAL_SETS_CONDITION_NONNEGATIVE, /* p >= 0 */
    GCAL_SETS_CONDITION_AND,
    GCAL_SETS_CONDITION_OR,
    GCAL_SETS_CONDITION_NOT,
    GCAL_SETS_CONDITION_EARLIER, /* 'a' held in an iteration of 'loop' before this one */
};

struct gcal_sets_condition {
    enum gcal_sets_condition_kind kind;
    const struct gcal_poly *p;
    const struct gcal_sets_condition *a, *b;
    unsigned loop; /* its dimension's atom */
};

/* Where an event happens: a loop or a condition around it, and what is around that. */
enum gcal_sets_scope_kind {
    GCAL_SETS_SCOPE_LOOP,
    GCAL_SETS_SCOPE_CONDITION,
    GCAL_SETS_SCOPE_UNKNOWN, /* a condition that is not known: counted as if it held */
};

struct gcal_sets_scope {
    const struct gcal_sets_scope *parent; /* NULL outermost */
    enum gcal_sets_scope_kind kind;
    unsigned loop; /* its dimension's atom */
    const struct gcal_poly *trips;
    const struct gcal_sets_condition *condition;
    int line, column;
};

struct gcal_sets_array {
    const char *name;
    enum gcal_feature_space space;
};

struct gcal_sets_op_event {
    const char *dtype, *op;
    const struct gcal_sets_scope *scope;
    int64_t times;
    bool index; /* integer arithmetic of subscripts and loop control */
};

struct gcal_sets_access_event {
    unsigned array;
    enum gcal_feature_direction direction; /* any, when it is atomic */
    const char *dtype, *tag;               /* tag: NULL without */
    const char *atomic;                    /* "add", ...; NULL for a load or a store */
    int64_t width;                         /* elements: vectors have more than 1 */
    const struct gcal_poly *offset;        /* elements; NULL: not known */
    const struct gcal_sets_scope *scope;
    int line, column;
};

/* A condition that lanes of a sub-group may meet differently. */
struct gcal_sets_branch_event {
    const struct gcal_sets_condition *condition; /* NULL: not known */
    const struct gcal_sets_scope *scope;
    int line, column;
};

struct gcal_sets_barrier_event {
    const struct gcal_sets_scope *scope;
    int line, column;
};

/* Something that could not be counted exactly, and what was done instead. */
struct gcal_sets_note {
    int line, column;
    const char *text;
};

/* A count that was made before. */
struct gcal_sets_cached_count {
    const char *key;
    bool estimated;
    const struct gcal_poly *count;
};

struct gcal_sets_nest {
    struct gcal_poly_context *c;
    struct isl_ctx *isl; /* these two are made when first needed */
    struct gcal_sets_context *context;
    long wasted_operations; /* of isl, on what came to nothing */
    const char *file;       /* for messages */
    int64_t sub_group_size; /* 0: not known */
    size_t n_dims;
    int64_t local_size[GCAL_MAX_DIMS];
    const struct gcal_poly *groups[GCAL_MAX_DIMS];
    const struct gcal_poly *lid[GCAL_MAX_DIMS], *gid[GCAL_MAX_DIMS];
    size_t n_arrays, array_capacity, n_ops, op_capacity;
    size_t n_accesses, access_capacity, n_barriers, barrier_capacity;
    size_t n_branches, branch_capacity;
    struct gcal_sets_array *arrays;
    struct gcal_sets_op_event *ops;
    struct gcal_sets_access_event *accesses;
    struct gcal_sets_barrier_event *barriers;
    struct gcal_sets_branch_event *branches;
    size_t n_counts, count_capacity;
    struct gcal_sets_cached_count *counts;
    int64_t local_bytes, private_bytes; /* of arrays that are declared */
    size_t n_notes, note_capacity;
    struct gcal_sets_note *notes; /* what was estimated, and why */
};

void gcal_sets_nest_clear(struct gcal_sets_nest *nest);

/* ---- conditions; never NULL (a context that failed gives one that always holds) ---- */
const struct gcal_sets_condition *
gcal_sets_condition_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p);
const struct gcal_sets_condition *gcal_sets_condition_zero(struct gcal_poly_context *c,
                                                           const struct gcal_poly *p);
const struct gcal_sets_condition *
gcal_sets_condition_and(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                        const struct gcal_sets_condition *b);
const struct gcal_sets_condition *
gcal_sets_condition_or(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                       const struct gcal_sets_condition *b);
const struct gcal_sets_condition *
gcal_sets_condition_not(struct gcal_poly_context *c, const struct gcal_sets_condition *a);
/* 'a' with 'loop' at some value from 0 to the one before this iteration's. */
const struct gcal_sets_condition *
gcal_sets_condition_earlier(struct gcal_poly_context *c,
                            const struct gcal_sets_condition *a, unsigned loop);
/* 'a' with the number in the place of a dimension. */
const struct gcal_sets_condition *
gcal_sets_condition_substitute(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *a, unsigned atom,
                               int64_t value);
/* 'a' with all its polynomials changed by 'change'. */
const struct gcal_sets_condition *gcal_sets_condition_map(
    struct gcal_poly_context *c, const struct gcal_sets_condition *a,
    const struct gcal_poly *(*change)(const struct gcal_poly *p, void *data), void *data);
/* 1: it always holds, 0: never, -1: it depends, or that was not seen. */
int gcal_sets_condition_decide(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *a);

/* One line that says where and why something was estimated; the same is kept once. */
void gcal_sets_nest_note(struct gcal_sets_nest *nest, int line, int column,
                         const char *text);

/* ---- counts ---- */

/* How often something in 'scope' (NULL: the kernel itself) happens.  What is not affine,
 * or not known, is taken to hold, and '*estimated' is set; so it is with
 * GCAL_SETS_COUNT_GROUPS where only some lanes of a group take part.  NULL when a loop
 * has no closed form.
 */
const struct gcal_poly *gcal_sets_scope_count(struct gcal_sets_nest *nest,
                                              const struct gcal_sets_scope *scope,
                                              enum gcal_sets_count_mode mode,
                                              bool *estimated);

/* How often a sub-group comes to the branch with lanes that differ on its condition.  The
 * nest's sub-group size must be known; NULL when there is no closed form or the condition
 * is not known.
 */
const struct gcal_poly *
gcal_sets_branch_divergence(struct gcal_sets_nest *nest,
                            const struct gcal_sets_branch_event *branch);

/* How many distinct elements the 'n' accesses to one array touch together, summed over
 * work-groups when its space is local; conditions that are not known are taken to hold.
 * NULL when it is not known, as for loads and stores of local memory by groups that
 * differ. It says nothing of sizes at which none of the accesses is made.
 */
const struct gcal_poly *
gcal_sets_footprint(struct gcal_sets_nest *nest, size_t n,
                    const struct gcal_sets_access_event *const *accesses);

#endif
