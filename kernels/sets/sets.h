/* sets.h - a kernel as a nest of loops around operations and accesses, and its counts
 *
 * kernels/walk makes the nest from OpenCL C, kernels/count makes a profile of it.  Loops
 * are normalised to v = 0 .. trips-1; the work-item ids are the dimensions lid and gid.
 * Conditions and scopes are in the memory of the polynomials' context.
 */
#ifndef GCAL_KERNELS_SETS_H
#define GCAL_KERNELS_SETS_H

#include <limits.h>

#include "kernels/model/feature.h"
#include "kernels/poly/poly.h"

enum { GCAL_SETS_MAX_DEPTH = 40 };

/* Whose executions are counted. */
enum gcal_sets_count_mode {
    GCAL_SETS_COUNT_WORK_ITEMS,
    GCAL_SETS_COUNT_GROUPS,     /* those in which at least one work-item takes part */
    GCAL_SETS_COUNT_SUB_GROUPS, /* in the same way; their size must be known */
    GCAL_SETS_COUNT_BUSIEST,    /* of the one work-item that does most */
};

/* An immutable condition on ids, sizes and loop variables. */
enum gcal_sets_condition_kind {
    GCAL_SETS_CONDITION_NONNEGATIVE, /* p >= 0 */
    GCAL_SETS_CONDITION_AND,
    GCAL_SETS_CONDITION_OR,
    GCAL_SETS_CONDITION_NOT,
    GCAL_SETS_CONDITION_EARLIER, /* 'a' held in an earlier iteration of 'loop' */
};

struct gcal_sets_condition {
    enum gcal_sets_condition_kind kind;
    const struct gcal_poly *p;
    const struct gcal_sets_condition *a, *b;
    unsigned loop; /* its dimension's atom */
};

/* Where an event happens: a loop or condition around it, and its parent around that. */
enum gcal_sets_scope_kind {
    GCAL_SETS_SCOPE_LOOP,
    GCAL_SETS_SCOPE_CONDITION,
    GCAL_SETS_SCOPE_UNKNOWN, /* an unknown condition: counted as if it held */
};

struct gcal_sets_scope {
    const struct gcal_sets_scope *parent; /* NULL outermost */
    enum gcal_sets_scope_kind kind;
    unsigned loop; /* its dimension's atom */
    const struct gcal_poly *trips;
    bool
        runtime_step; /* of a loop: compilers cannot know how often it runs from its step,
                          so they do not unroll it */
    /* Of a loop whose bound is a constant in the source: whether compilers may unroll it,
     * and whether the source asks them to do so.
     */
    bool may_unroll, is_unrolled;
    const struct gcal_sets_condition *condition;
    int line, column;
};

/* An iteration of a loop that has no closed form, so that its iterations were walked one by one, and
 * that compilers do not unroll, as an argument of the kernel ends it.
 */
struct gcal_sets_step {
    const struct gcal_sets_step *outer; /* around it; NULL: none */
    size_t run;                         /* of the loop; from 1 on */
};

struct gcal_sets_array {
    const char *name;
    enum gcal_feature_space space;
    int64_t bytes;                 /* that are declared; 0: unknown */
    const struct gcal_poly *given; /* bytes that it has; NULL: unknown */
    int64_t texel_bytes;           /* of an image; 0: unknown */
};

/* A subscript that depends on data: apart + unit*k with some k from 0 to values-1.  Of a sum of
 * two with different units, 'a' and 'b' are these, whose known parts 'apart' has.
 */
struct gcal_sets_range {
    const struct gcal_poly *values, *unit, *apart; /* the last two in elements */
    const struct gcal_sets_range *a, *b;           /* or NULL */
};

struct gcal_sets_op_event {
    const char *dtype, *op;
    const struct gcal_sets_scope *scope;
    int64_t times;        /* of scalars */
    int64_t instructions; /* of vectors as well, each once */
    int64_t joined;       /* of 'times': in the instruction that uses the result */
    bool index;           /* integer arithmetic of subscripts and loop control */
    bool auxiliary; /* a comparison, selection, negation or conversion of other values */
    const char *
        matrix; /* of matrices, the type of their elements: 'times' multiply-adds; or NULL */
};

/* Names of the extents of images, which no size can have: longer than any row. */
#define GCAL_SETS_IMAGE_ROW   "@row"
#define GCAL_SETS_IMAGE_PLANE "@plane"

/* Which lanes' atomic operations are one to memory: none; all of a sub-group, by the compiler; those
 * at one address, by local memory.
 */
enum gcal_sets_joins {
    GCAL_SETS_JOINS_NONE,
    GCAL_SETS_JOINS_LANES,
    GCAL_SETS_JOINS_ADDRESS
};

/* The tag of loads that the first-level cache does not serve. */
#define GCAL_SETS_UNCACHED "uncached"

struct gcal_sets_access_event {
    unsigned array;
    enum gcal_feature_direction direction; /* any for atomics */
    const char *dtype, *tag;               /* tag: or NULL */
    const char *atomic;                    /* "add", ...; NULL for a load or a store */
    enum gcal_sets_joins joins;            /* of an atomic */
    int64_t width;                         /* of a vector, in elements; else 1 */
    const struct gcal_poly *offset;        /* in elements; NULL: unknown */
    /* Where the offset is unknown: 'n_places' of other numbers that decide what is accessed
     * apart, from 'place' on; NULL: unknown.  Bytes, or the coordinates of an image, as
     * x + row*y + plane*row*z with the sizes GCAL_SETS_IMAGE_ROW and GCAL_SETS_IMAGE_PLANE.
     * 'near' of an image is a place, too.
     */
    const struct gcal_poly *place;
    /* Where it is unknown: the offset with some numbers that are data (struct
     * gcal_sets_number), but for signs and wrapping; NULL: unknown.
     */
    const struct gcal_poly *near;
    /* Where that is unknown, too: the same with free numbers, which say no more than what lies
     * apart from what by how much; NULL: unknown.
     */
    const struct gcal_poly *base;
    /* Where it is one of several known offsets, by conditions: the same access for each of them,
     * in the scope where it is that one; 'near' is the one at most places.
     */
    size_t n_sides;
    const struct gcal_sets_access_event *sides;
    int64_t n_places;
    bool on_data; /* the offset is unknown as it depends on data, or a loop mixes it */
    bool
        is_stepped; /* it is unknown as a loop carries it, from a start that all lanes share */
    const struct gcal_sets_range *range; /* of an unknown offset; or NULL */
    unsigned depth; /* loads of global memory, one after another, that the offset needs */
    const struct gcal_poly *carried; /* the dimension of a loop, an earlier iteration of
                                        which gives the offset; or NULL */
    size_t n_barriers;               /* before it in the source */
    bool is_initialiser;             /* of a private array */
    bool is_volatile;
    bool is_copy;  /* asynchronous, to local memory, */
    bool is_ahead; /* which only a later iteration of a loop waits for */
    const struct gcal_sets_scope *scope;
    const struct gcal_sets_step *step; /* innermost; NULL: none */
    int line, column; /* of the call, where a function that gpucal declares accesses */
    int own_line, own_column; /* of the access itself, which samples know it by */
};

/* Operations of the longest chain of a work-item. */
enum { GCAL_SETS_MOST_LINKS = 40 };

struct gcal_sets_link {
    const char *dtype, *op;
    const struct gcal_poly *times;
};

/* A number that is data: a dimension without a range, which is another one wherever 'of',
 * the address that it is loaded from, is; or its quotient, which is another one wherever 'of',
 * the quotient, is; or a free one, which may come from anything.
 */
#define GCAL_SETS_NO_ARRAY UINT_MAX
struct gcal_sets_number {
    bool is_free;
    unsigned array; /* that it is loaded from; GCAL_SETS_NO_ARRAY: none */
    const struct gcal_poly *value, *of;
    const struct gcal_sets_number *next;
};

/* A branch at which the lanes of a sub-group may diverge. */
struct gcal_sets_branch_event {
    const struct gcal_sets_condition *condition; /* NULL: unknown */
    const struct gcal_sets_scope *scope;
    int line, column;
};

struct gcal_sets_barrier_event {
    const struct gcal_sets_scope *scope;
    int line, column;
};

/* Why a count is an estimate, and how it was estimated. */
struct gcal_sets_note {
    int line, column;
    const char *text;
};

/* A cached count of a component. */
struct gcal_sets_cached_count {
    uint64_t hash; /* of the key */
    const char *key;
    bool estimated;
    double error; /* of a sample, relative; 0: of none */
    const struct gcal_poly *count;
};

/* A dimension that replaces two in domains. */
struct gcal_sets_joined {
    unsigned x, y; /* atoms */
    const struct gcal_poly *last, *both;
};

/* A scope without the conditions that cannot be counted, for 'mode'. */
struct gcal_sets_relaxed {
    const struct gcal_sets_scope *scope;
    enum gcal_sets_count_mode mode;
    const struct gcal_sets_scope *without;
};

/* A loop whose trips are those of a sample of work-items: parameters, and their values, on
 * average over work-items, sub-groups and work-groups.
 */
struct gcal_sets_sampled {
    int line, column;
    const struct gcal_poly *trips[3], *value[3];
    const struct gcal_poly *divergence; /* of sub-groups, in an iteration */
    double error;                       /* relative; 0: none, all work-items were in it */
    double rough;                       /* the same of a part of the iterations */
};

/* What counting has added to a nest. */
struct gcal_sets_mark {
    struct gcal_poly_mark c;
    size_t n_counts, n_joined, n_relaxed;
};

struct gcal_sets_nest {
    struct gcal_poly_context *c;
    struct isl_ctx *isl; /* these two are made when first needed */
    struct gcal_sets_context *context;
    long budget_divisor;         /* of isl's operations, for tests; 0: 1 */
    long operations;             /* of isl, so far; failed ones count several times */
    struct gcal_sets_mark begun; /* where the last attempt began */
    long evaluations;   /* of subscripts, in regions that are met point by point */
    bool is_exhausted;  /* some attempt did not begin, as all operations were used */
    long sampled_steps; /* of points that were met one by one (sample.c) */
    double error; /* relative standard error of the last count of a scope, of a sample */
    const char *file;       /* for messages */
    int64_t sub_group_size; /* 0: unknown */
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
    /* to private arrays that compilers keep in registers */
    size_t n_register_accesses, register_capacity;
    struct gcal_sets_access_event *register_accesses;
    struct gcal_sets_barrier_event *barriers;
    struct gcal_sets_branch_event *branches;
    size_t n_counts, count_capacity;
    struct gcal_sets_cached_count *counts;
    size_t n_joined, joined_capacity;
    struct gcal_sets_joined *joined;
    size_t n_relaxed, relaxed_capacity;
    struct gcal_sets_relaxed *relaxed;
    size_t n_sampled;
    struct gcal_sets_sampled *sampled; /* in the context's memory */
    int refused_line, refused_column;  /* of the loop for which the walk failed; or 0 */
    size_t n_links;
    struct gcal_sets_link links[GCAL_SETS_MOST_LINKS];
    bool links_lost;                    /* there are too many to follow */
    int64_t local_bytes, private_bytes; /* of declared arrays */
    const struct gcal_sets_number *numbers;
    size_t n_notes, note_capacity;
    struct gcal_sets_note *notes;
};

void gcal_sets_nest_clear(struct gcal_sets_nest *nest);

/* Work-items of a work-group. */
int64_t gcal_sets_nest_group_items(const struct gcal_sets_nest *nest);

/* Returns whether a number in p that is data is another one in each lane. */
bool gcal_sets_differs_by_lane(const struct gcal_sets_nest *nest,
                               const struct gcal_poly *p);

/* 'p' with the values of sampled loops. */
const struct gcal_poly *gcal_sets_settle(const struct gcal_sets_nest *nest,
                                         const struct gcal_poly *p);

/* Returns whether 'outer' is 'scope' or around it; NULL is around all. */
bool gcal_sets_scope_is_around(const struct gcal_sets_scope *outer,
                               const struct gcal_sets_scope *scope);

/* ---- conditions: never NULL; a failed context gives one that always holds ---- */
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
/* 'a' at some value of 'loop' from 0 up to, and without, this iteration's. */
const struct gcal_sets_condition *
gcal_sets_condition_earlier(struct gcal_poly_context *c,
                            const struct gcal_sets_condition *a, unsigned loop);
/* 'a' with 'value' for the dimension 'atom'. */
const struct gcal_sets_condition *
gcal_sets_condition_substitute(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *a, unsigned atom,
                               int64_t value);
/* 'a' with 'change' applied to all its polynomials. */
const struct gcal_sets_condition *gcal_sets_condition_map(
    struct gcal_poly_context *c, const struct gcal_sets_condition *a,
    const struct gcal_poly *(*change)(const struct gcal_poly *p, void *data), void *data);
bool gcal_sets_condition_contains(struct gcal_poly_context *c,
                                  const struct gcal_sets_condition *condition,
                                  unsigned atom);
bool gcal_sets_condition_has_ids(const struct gcal_sets_nest *nest,
                                 const struct gcal_sets_condition *condition);
/* 'a' with each p >= 0 in it replaced. */
const struct gcal_sets_condition *gcal_sets_condition_map_leaves(
    struct gcal_poly_context *c, const struct gcal_sets_condition *a,
    const struct gcal_sets_condition *(*change)(const struct gcal_poly *p, void *data),
    void *data);
/* 1: always holds, 0: never holds, -1: depends, or unknown. */
int gcal_sets_condition_decide(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *a);

/* Returns whether it holds in the middle of all ranges, at sizes of a thousand. */
bool gcal_sets_condition_holds_mostly(struct gcal_poly_context *c,
                                      const struct gcal_sets_condition *a);
/* The p of a condition p >= 0 and -p >= 0, else NULL. */
const struct gcal_poly *
gcal_sets_condition_find_zero(struct gcal_poly_context *c,
                              const struct gcal_sets_condition *a);
/* Returns whether p >= 0 is proven where the conditions of 'scope' (or NULL) hold. */
bool gcal_sets_scope_implies(struct gcal_poly_context *c,
                             const struct gcal_sets_scope *scope,
                             const struct gcal_poly *p);

/* Adds a note, once. */
void gcal_sets_nest_note(struct gcal_sets_nest *nest, int line, int column,
                         const char *text);

/* ---- counts ---- */

/* How often an event in 'scope' (NULL: the kernel itself) happens.  Conditions that are
 * unknown or cannot be counted are taken to hold, and '*estimated' is set;
 * GCAL_SETS_COUNT_GROUPS sets it too where only some lanes of a group take part, and a
 * sample does, whose error is then nest->error.  NULL when a loop has no closed form.
 */
const struct gcal_poly *gcal_sets_scope_count(struct gcal_sets_nest *nest,
                                              const struct gcal_sets_scope *scope,
                                              enum gcal_sets_count_mode mode,
                                              bool *estimated);

/* How often a sub-group diverges at the branch.  The nest's sub-group size must be known;
 * NULL when there is no closed form or the condition is unknown.  nest->error is set as
 * for counts of scopes.
 */
const struct gcal_poly *
gcal_sets_branch_divergence(struct gcal_sets_nest *nest,
                            const struct gcal_sets_branch_event *branch);

enum { GCAL_SETS_MAX_PREMISES = 5 };

/* What a footprint is only valid under: each row is at least as long as what is touched of
 * it, left >= right, both in sizes alone.
 */
struct gcal_sets_premises {
    size_t n;
    const struct gcal_poly *left[GCAL_SETS_MAX_PREMISES], *right[GCAL_SETS_MAX_PREMISES];
};

/* The number of distinct elements that 'n' accesses to one array touch together, summed
 * over work-groups when its space is local; unknown conditions are taken to hold.  Valid
 * at sizes at which any of the accesses is made and that meet the premises.  NULL when it
 * is unknown, as for loads and stores of local memory by groups that differ.
 */
const struct gcal_poly *
gcal_sets_footprint(struct gcal_sets_nest *nest, size_t n,
                    const struct gcal_sets_access_event *const *accesses,
                    struct gcal_sets_premises *premises);

/* The number of aligned blocks of 'size' elements that 'n' accesses to one array touch
 * together: distinct ones of each work-group, summed over groups ('by_group'), or of all.
 * '*estimated' where rows begin at unknown places in blocks (the mean is counted), rows
 * may share blocks, or conditions are unknown.  NULL when it is unknown.
 */
const struct gcal_poly *
gcal_sets_block_footprint(struct gcal_sets_nest *nest, size_t n,
                          const struct gcal_sets_access_event *const *accesses,
                          int64_t size, bool by_group, bool *estimated);

/* An estimate of the same from strides and ranges alone: all conditions are taken to hold,
 * and accesses with different strides to touch different blocks.  NULL when a subscript is
 * not affine.
 */
const struct gcal_poly *
gcal_sets_box_footprint(struct gcal_sets_nest *nest, size_t n,
                        const struct gcal_sets_access_event *const *accesses,
                        int64_t size, bool by_group);

/* The same of the accesses of each sub-group, as if all its lanes took part, summed over
 * sub-groups, whose size must be known; with a loop (a scope) around all accesses, summed over
 * its executions.
 */
const struct gcal_poly *
gcal_sets_sub_group_blocks(struct gcal_sets_nest *nest, size_t n,
                           const struct gcal_sets_access_event *const *accesses,
                           const struct gcal_sets_scope *loop, int64_t size);

/* The subscript 'offset' without the ends at which it is clamped, as in the middle of the
 * ranges; itself where it is not clamped.
 */
const struct gcal_poly *gcal_sets_near(struct gcal_poly_context *c,
                                       const struct gcal_poly *offset);

/* How often the subscript is clamped; more than GCAL_SETS_MOST_PIECES if it has quotients:
 * then counting it by isl would use up what all other counts need.
 */
enum { GCAL_SETS_MOST_PIECES = 2 };
size_t gcal_sets_pieces(const struct gcal_poly_context *c,
                        const struct gcal_poly *offset);

/* What counting has added so far; and back to it, with the context's failure cleared: no
 * polynomial made since is in use.
 */
struct gcal_sets_mark gcal_sets_nest_mark(const struct gcal_sets_nest *nest);
void gcal_sets_nest_rewind(struct gcal_sets_nest *nest,
                           const struct gcal_sets_mark *mark);

/* Begins another budget of a share of the first, for counts that may go without. */
void gcal_sets_nest_renew_budget(struct gcal_sets_nest *nest);

/* 'nest' with the first 'groups' work-groups along each axis alone, at most those it has.
 * The copy shares its events; gcal_sets_nest_end_part() frees what it has of its own.
 */
struct gcal_sets_nest gcal_sets_nest_part(const struct gcal_sets_nest *nest,
                                          const struct gcal_poly *const *groups);
void gcal_sets_nest_end_part(struct gcal_sets_nest *part);

/* An interval that has every subscript of 'n' accesses to one array, all in elements of
 * one size: 'first' at most the least subscript, 'last' at least the largest, both in
 * sizes alone.  Exact for accesses to whole rows; unknown conditions are taken to hold.
 * False when it is unknown.
 */
bool gcal_sets_interval(struct gcal_sets_nest *nest, size_t n,
                        const struct gcal_sets_access_event *const *accesses,
                        const struct gcal_poly **first, const struct gcal_poly **last);

#endif
